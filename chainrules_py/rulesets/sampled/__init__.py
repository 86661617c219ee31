"""Functions of samples of a function.

Differences, numerical gradients, interpolation, spaced points.
"""
