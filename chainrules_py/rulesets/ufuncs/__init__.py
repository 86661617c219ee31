"""Functions that work entry by entry, one line each and both modes at once.

The methods of ufuncs; Python's modules math and cmath.
"""
