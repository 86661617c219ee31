"""Many examples at once: values with a lane for each, behind `vmap` and whole Jacobians.

Put here what is special about values in lanes. Read in this order:

    level         the handles, which have the shape of one example, and one `vmap` as a level
    dispatch      operators, ufuncs and functions in lanes, by one look-up
    behaviour     their attributes and methods, and the questions that one answer cannot fit
    unit_vectors  all columns or rows of a matrix in one sweep: one unit vector in each lane

A worked example, ``vmap(lambda x: np.sum(x * w))(X)`` of X (100, 3) and w (3,):

    x           a handle of shape (3,), whose value is X
    ``x * w``   by the word `elementwise`: one product of X and w
    ``np.sum``  by the word `reduces`: a sum over all axes but the first, in a handle of shape ()

Words and rules are in `chainrules_py.batching`, memory of such values in `in_place.lane_memory`.
"""
