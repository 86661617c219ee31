"""The rules for numpy.linalg; importing `all_functions` registers them all.

Every formula is batched over leading axes and written for complex matrices in the real inner
product Re tr(A^H B), of which the real case is a part. Where eigenvectors, singular vectors or
orthogonal factors are not unique, the rules differentiate one choice of them;
`docs/design/linalg.md` says which, and what happens at repeated eigenvalues and at singular
matrices.
"""
