"""Functions that take a function: map, vectorize, piecewise and the like.

Their rules ask the engine that calls them to differentiate the function.
"""
