"""Rules of SciPy's functions, a package per module of SciPy.

Each is loaded when one of its functions is asked for.

A name of SciPy without a rule stands in `without_rules` of its package, with the reason. Functions
that SciPy writes in Python do not hand traced values over: engines have names of their own for
them, the tape `chainrules_tape.scipy`.
"""
