"""Functions that arrange entries without changing them.

Reshape, join, split, pad, and arrays made of nothing.
"""
