"""Rules of `scipy.optimize`: the solution is differentiated by its equation, not the iterations.

`declaring` makes both rules of an equation; roots, minima and least squares state theirs. Each
solver runs on plain numbers, with the caller's functions as they are there; parameters come from
`args`, or are captured by the functions (`values.captured_values`).
"""
