"""Traced values as an array library: the namespace `xp` that rules get when they run on values of
an outer derivative.

Put here only what makes arrays of nothing, which is where traced values differ from NumPy:
`recipes` are constants that each library makes for itself, and `namespace` is NumPy with those in
it, and with buffers that a rule may fill.
"""
