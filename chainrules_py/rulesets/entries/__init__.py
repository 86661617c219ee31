"""Functions that read, choose, sort or replace entries.

The adjoint of reading adds at the same places (`scatter`).
"""
