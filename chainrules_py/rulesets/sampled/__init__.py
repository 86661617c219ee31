"""Functions of samples of a function: differences, numerical gradients, interpolation, spaced
points.
"""
