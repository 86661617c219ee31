"""Code that writes into arrays: what a traced array is from its first write on, and buffers.

Put here what happens because something was written to; a program that writes nothing passes none of
it. Read in this order:

    regions             where a NumPy view lies in its memory
    storages            memory that is written into, the handles on its views, and how it is read
    held_memory         memory whose numbers an array of JAX's, PyTorch's or CuPy's has
    known_layouts, layouts   who shares memory with whom among such arrays
    lane_memory, series_memory   memory in which values have lanes, or are power series
    first_write         how a traced array becomes such a handle
    writing             one write, by its rule, at the level that it belongs to
    aliases             the arrays that shared memory with one at its first write
    repeated_entries    such arrays that show an entry several times, or parts of complex numbers
    reading             the values that stored arrays hold, and their entries
    results             results of functions on them: views, where NumPy gives views
    assignments         ``x[index] = v`` and ``x += v``
    overlaps            functions that would read what they have overwritten
    functions           NumPy's functions that write, and ``out=``
    flat                ``x.flat``
    augmented_constants ``a *= x`` of a plain array that nobody else holds, in instrumented code
    behaviour           the methods of arrays that write, and of stored arrays

A worked example, ``y = x * 2; v = y[1:]; v[0] = 5.0; np.sum(y)``:

    ``v[0] = 5.0``   the first write: y's memory becomes a storage, y and v handles on its views.
                     The rule writes; an entry has the version before, and what was written
    ``np.sum(y)``    reads a copy of y, an entry whose parent is the latest version
    the sweep        has one cotangent for the memory: the read adds to it, the write takes its part
                     out, and what is left goes to x * 2

The rules are in `chainrules_py.rulesets.entries`; `docs/design/in_place.md` says why.
"""
