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

import numpy as np
from scipy.sparse import linalg

from chainrules_py.rulesets.scipy.sparse.linalg.direct import solve_by_factors
from chainrules_py.rulesets.scipy.sparse.linalg.iterative import conjugate_transpose
from chainrules_py.rulesets.scipy.sparse.linalg.least_squares import least_squares_solution, operator_product
from chainrules_tape.core.levels import call, innermost
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.scipy.objects import constant, refused


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


def _norm(x: Any) -> Any:
    return np.sqrt(np.sum(np.abs(x) ** 2))


@by_others(linalg.lsqr)
def lsqr(A: Any, b: Any, damp: float = 0.0, **options: Any) -> Any:
    """`scipy.sparse.linalg.lsqr`: the solution, and the norms of it and of residuals; what is estimated is constant."""
    plain = linalg.lsqr(constant(A), constant(b), damp, **options)
    x, r = _solution(linalg.lsqr, A, b, damp, options)
    norms = (_norm(r), np.sqrt(_norm(r) ** 2 + damp**2 * _norm(x) ** 2))
    return (x, *plain[1:3], *norms, *plain[5:7], _norm(_adjoint_product(A, r) - damp**2 * x), _norm(x), plain[9])


@by_others(linalg.lsmr)
def lsmr(A: Any, b: Any, damp: float = 0.0, **options: Any) -> Any:
    """`scipy.sparse.linalg.lsmr`: the solution, and the norms of it and of residuals; what is estimated is constant."""
    plain = linalg.lsmr(constant(A), constant(b), damp, **options)
    x, r = _solution(linalg.lsmr, A, b, damp, options)
    return x, *plain[1:3], _norm(r), _norm(_adjoint_product(A, r) - damp**2 * x), *plain[5:7], _norm(x)


def _solution(solver: Any, A: Any, b: Any, damp: float, options: dict[str, Any]) -> tuple[Any, Any]:
    for name, value in {"damp": damp, **options}.items():
        if innermost((value,)) is not None:
            raise refused(solver, name, value, "pass a constant, or solve the system with damp times the unit matrix below")
    x = call(least_squares_solution, (A, b), {"solver": solver, "options": {"damp": damp, **options}})
    return x, np.reshape(b, -1) - _product(A, x)


def _product(A: Any, x: Any) -> Any:
    return call(operator_product, (x,), {"operator": A}) if isinstance(A, linalg.LinearOperator) else A @ x


def _adjoint_product(A: Any, r: Any) -> Any:
    return _product(conjugate_transpose(A), r)


__getattr__, __dir__ = stand_in(linalg, globals())
