"""The namespace `xp` of rules that run on values of an outer derivative.

namespace  one for each array library beneath the values, and the libraries of such values
"""
