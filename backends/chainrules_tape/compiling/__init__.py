"""Compiled gradients: programs that are recorded once and run as straight NumPy code."""
