"""Rules of `scipy.linalg`, by topic; loaded when one of its functions is asked for.

Where NumPy has the function, the formula is that of `rulesets.linalg`, with its conventions. SciPy
works on stacks of matrices, and so do the rules; a right-hand side of one axis is a vector. Options
that let SciPy write into an argument are refused.
"""
