"""Functions that are linear in each of several arrays: dot, tensordot, einsum, convolve."""
