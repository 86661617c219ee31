"""Functions that arrange entries without changing them: reshape, join, split, pad, and arrays made
of nothing.
"""
