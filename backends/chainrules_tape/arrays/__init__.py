"""Traced values as arrays: their classes, and how calls come from them to the engine.

Nothing here says what a derivative is. Read in this order:

    handles         the classes of traced values, and of which parts each of them is made
    behaviour       their attributes, methods and conversions, and what they refuse
    layout_methods  methods whose result lies elsewhere in memory than that of NumPy's function
    operators       Python's operators, and how they are defined on a class
    fast_dispatch   operators, ufuncs and functions by one dictionary look-up
    fast_lookup     the entries of that dictionary
    numbers         operations of single numbers, which record partial derivatives
    arrays_of_numbers  what `where` chooses of them, and arrays of lists of them
    slow_operators  operators of two operands that it cannot tell apart, and what is Python's alone
    protocols       NumPy's two protocols, for the calls that a look-up cannot tell apart
    zero_dimensional  numbers as arrays without axes, and back

`in_place` has the methods that write, `lanes` and `series` the operators of their own values.
`handles` imports them, and lies above these packages.
"""
