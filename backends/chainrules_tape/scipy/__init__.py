"""SciPy for code that is differentiated: ``from chainrules_tape.scipy import special`` in the place of SciPy's own.

Ufuncs of `scipy.special` hand traced values over by themselves. SciPy's functions that are written in Python do not; here
those that have a rule find it. With plain values they are SciPy's own.
"""
