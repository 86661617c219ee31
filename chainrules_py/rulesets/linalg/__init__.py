"""The rules for numpy.linalg.

Every formula is batched over leading axes and written for complex matrices in the real inner
product Re tr(A^H B), of which the real case is a part. Where eigenvectors, singular vectors or
orthogonal factors are not unique, the rules differentiate one choice of them;
`docs/design/linalg.md` says which, and what happens at repeated eigenvalues and at singular
matrices.
"""

from chainrules_py.values.late_names import by_first_use

# the functions for users of this package
_LATE = {"adjugate": ".adjugates", "hermitian_function": ".hermitian_functions"}
__getattr__, __dir__ = by_first_use(__name__, _LATE)
