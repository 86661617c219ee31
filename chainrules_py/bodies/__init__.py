"""Functions that are programs of others: all that is known of them follows from their body.

A body is run on traced values, which hand each operation to the rule of its function. What comes of
that is a derivative, or the results of many examples:

    traced      values that hand operations to a level, and which level an operation belongs to
    reverse     a level that records pullbacks: `vjp`
    forward     a level whose values carry tangents: `jvp`
    lanes       a level whose values are many examples: `vmap`

This is what a table gives to engines that look up `rrule`, `frule` or `batched` of such a function.
An engine whose own values NumPy's functions accept runs the body on those instead (`Rule.body`),
and so has the function in all modes that it knows. Read `traced` first. `makers.composition` makes the
rules.
"""
