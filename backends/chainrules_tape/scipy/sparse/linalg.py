"""`scipy.sparse.linalg` for code that is differentiated; factors solve systems with traced columns.

>>> import numpy as np
>>> from scipy.sparse import csc_array
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy.sparse import linalg
>>> factors = linalg.splu(csc_array([[2.0, 0.0], [0.0, 4.0]]))
>>> grad(lambda b: np.sum(factors.solve(b)))(np.ones(2))
array([0.5 , 0.25])
"""

from collections.abc import Callable
from typing import Any

from scipy.sparse import linalg

from chainrules_py.rulesets.scipy.sparse.linalg.direct import solve_by_factors
from chainrules_tape.numpy.namespaces import stand_in


class Factors:
    """The factors of a constant sparse matrix, which solve systems with plain and with traced columns."""

    def __init__(self, factors: Any) -> None:
        self.factors = factors

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """The solution of the system, of its transpose ("T") or of its adjoint ("H")."""
        return solve_by_factors(rhs, factors=self.factors, trans=trans)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.factors, name)


def splu(A: Any, **options: Any) -> Factors:
    """The factors of a constant sparse matrix."""
    return Factors(linalg.splu(A, **options))


def factorized(A: Any) -> Callable[[Any], Any]:
    """A function that solves systems with a constant sparse matrix."""
    return splu(A).solve


__getattr__, __dir__ = stand_in(linalg, globals())
