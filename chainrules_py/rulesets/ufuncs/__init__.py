"""Functions that work entry by entry, one line each and both modes at once; the methods of ufuncs;
Python's math module.
"""
