"""Functions that take a function: map, vectorize, piecewise and the like; their rules ask the
calling engine.
"""
