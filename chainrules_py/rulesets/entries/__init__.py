"""Functions that read, choose, sort or replace entries; the adjoint of reading adds at the same
places (`scatter`).
"""
