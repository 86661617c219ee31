"""The namespace `xp` of rules that run on values of an outer derivative.

namespace      one for each array library beneath the values, and the libraries of such values
filled_arrays  arrays of libraries other than NumPy that a rule makes and fills
"""
