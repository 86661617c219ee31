"""Many examples at once: values with a lane for each, behind `vmap` and whole Jacobians.

Put here what is special about values in lanes. Read in this order:

    level      the handles, which have the shape of one example, and one `vmap` as a level
    dispatch   operators, ufuncs and functions in lanes, by one look-up
    behaviour  their attributes and methods, and the questions that one answer cannot fit
    units      all columns or rows of a matrix in one sweep: unit vectors, one in each lane

`arrays.handles` makes the classes of the first three; `units` lies above it, and makes classes of
its own. Memory in which values have lanes is with other memory, in `in_place.lane_memory`; the
rules for batching are in the table, in `chainrules_py.batching`. `docs/design/batching.md` says
why.
"""
