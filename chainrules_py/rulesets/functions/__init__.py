"""Functions that take a function: map, vectorize, piecewise and the like.

Their rules ask the calling engine.
"""
