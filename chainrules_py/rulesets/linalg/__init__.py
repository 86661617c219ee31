"""The rules for numpy.linalg.

Every formula is batched over leading axes and written for complex matrices in the real inner
product Re tr(A^H B), of which the real case is a part. Where eigenvectors, singular vectors or
orthogonal factors are not unique, the rules differentiate one choice of them;
`docs/design/linalg.md` says which, and what happens at repeated eigenvalues and at singular
matrices.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """The functions for users of this package, imported by their first use."""
    if name == "adjugate":
        from chainrules_py.rulesets.linalg.adjugates import adjugate

        return adjugate
    if name == "hermitian_function":
        from chainrules_py.rulesets.linalg.hermitian_functions import hermitian_function

        return hermitian_function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
