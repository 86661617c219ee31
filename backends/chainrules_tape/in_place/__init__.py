"""Code that writes into arrays: what a traced array is from its first write on, and buffers.

Put here what happens because something was written to; a program that writes nothing passes none of
it. Read in this order:

    storages    memory that is written into, the handles on its parts, and how it is read
    first_write how a traced array becomes such a handle
    writing     one write, by its rule, at the level that it belongs to
    aliases     who shared memory with an array before its first write
    claims      what of such a value belongs to the memory, where that is not just its entries
    regions     where a NumPy view lies in its memory
    reading     what stored arrays hold, and their entries
    results     what functions make of them: views, where NumPy gives views
    assignments ``x[index] = v`` and ``x += v``
    objects     functions that write into an object's fields, by their rules
    functions   NumPy's functions that write, and ``out=``
    flat        ``x.flat``
    resizing    ``x.resize(shape)``
    sole_owners ``a *= x`` of a plain array that nobody else holds, in code that is seen through
    behaviour   what stored arrays answer, installed on their classes

The rules are in `chainrules_py.rulesets.entries`: `writing`, `placing` and `regions`.
`docs/design/in_place.md` says why.
"""
