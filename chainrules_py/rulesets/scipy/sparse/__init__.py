"""Rules of `scipy.sparse`, and of its solvers in `linalg`.

The cotangent of a sparse matrix has its pattern: entries that are not stored are constant zeros.
Products are in `rulesets.sparse_products`.
"""
