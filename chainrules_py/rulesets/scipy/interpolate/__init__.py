"""Formulas for `scipy.interpolate`, in functions of knots, values and points.

SciPy's interpolants are objects; the classes that traced programs make stand in
``chainrules_tape.scipy.interpolate``. Of the formulas, `cubic`, `by_knots`, `grids` and `radial` are written in
operations that have rules, `b_splines` has rules of its own.
"""
