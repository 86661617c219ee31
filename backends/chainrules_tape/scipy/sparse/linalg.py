"""`scipy.sparse.linalg` for code that is differentiated; factors solve systems with traced columns.

>>> import numpy as np
>>> from scipy.sparse import csc_array
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy.sparse import linalg
>>> factors = linalg.splu(csc_array([[2.0, 0.0], [0.0, 4.0]]))
>>> grad(lambda b: np.sum(factors.solve(b)))(np.ones(2))
array([0.5 , 0.25])
"""

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from scipy.sparse import linalg

from chainrules_py.annotations import Options
from chainrules_py.makers import implicit_function
from chainrules_py.rulesets.scipy.sparse.entries import entries_solution
from chainrules_py.rulesets.scipy.sparse.linalg.direct import solve_by_factors
from chainrules_py.rulesets.scipy.sparse.linalg.eigenvalues import OF_ENTRIES, TAKEN
from chainrules_py.rulesets.scipy.sparse.linalg.iterative import (
    NAMES as ITERATIVE,
    SELF_ADJOINT,
    conjugate_transpose,
    converged,
)
from chainrules_py.rulesets.scipy.sparse.linalg.least_squares import (
    least_squares_estimates,
    least_squares_solution,
    operator_product,
)
from chainrules_py.table.registry import default_rules
from chainrules_py.values.captured_values import closed
from chainrules_py.values.identity import existing
from chainrules_tape.core.levels import call_traced, innermost
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.numpy.namespaces import made_interceptable, stand_in, takes_the_place_of
from chainrules_tape.scipy.objects import constant, floats, traced_option_error
from chainrules_tape.scipy.sparse.matrices import TracedSparse


class TracedFactors:
    """Stands for the factors of a matrix of traced entries; they are computed once if the entries
    are NumPy's.
    """

    def __init__(self, matrix: TracedSparse, options: Options) -> None:
        self.matrix, self.factors = matrix.copy(), None  # which may be written into later
        if type(constant(matrix.entries)) is np.ndarray:
            self.factors = linalg.splu(matrix.plain().tocsc(), **options)

    def solve(self, rhs, trans: str = "N") -> Any:
        """The solution of the system, of its transpose ("T") or of its adjoint ("H")."""
        if trans == "T":
            return np.conj(self.solve(np.conj(rhs), "H"))
        matrix = self.matrix if trans == "N" else self.matrix.T.conj()
        if self.factors is None:
            return spsolve(matrix, rhs)
        by_factors = {"solver": self.factors, "options": {"trans": trans}}
        given = {**matrix.positions(), **by_factors}
        return call_traced(entries_solution, (matrix.entries, floats(rhs)), given)


class Factors:
    """The factors of a constant sparse matrix, which solve systems with plain and with traced
    columns.
    """

    def __init__(self, factors) -> None:
        self.factors = factors

    def solve(self, rhs, trans: str = "N") -> Any:
        """The solution of the system, of its transpose ("T") or of its adjoint ("H")."""
        return solve_by_factors(rhs, factors=self.factors, trans=trans)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.factors, name)


def splu(A, **options) -> Any:
    """The factors of a sparse matrix."""
    if isinstance(A, TracedSparse):
        return TracedFactors(A, options)
    return Factors(linalg.splu(A, **options))


def factorized(A) -> Callable[[Any], Any]:
    """A function that solves systems with a sparse matrix."""
    return splu(A).solve


_norm_of_constant = made_interceptable(linalg.norm)


def norm(x, ord: Any = None, axis: int | None = None) -> Any:
    """`scipy.sparse.linalg.norm`, of traced entries by its own source."""
    if not isinstance(x, TracedSparse):
        return _norm_of_constant(x, ord, axis)
    source: Any = import_module("chainrules_foreign_code.by_source")  # which is built on this
    return source.run_by_source(linalg.norm, (x, ord, axis), {})


default_rules.alias(norm, linalg.norm)


def _norm(x) -> Any:
    return np.sqrt(np.sum(np.abs(x) ** 2))


@by_others(linalg.lsqr)
def lsqr(A, b, damp: float = 0.0, **options) -> Any:
    """`scipy.sparse.linalg.lsqr`: solution, its norm and those of residuals; estimates are
    constants.
    """
    x, plain, norms = _solution(linalg.lsqr, A, b, damp, options)
    of_residual, of_damped, of_gradient, of_solution = norms
    return (
        x,
        *plain[0:2],
        of_residual,
        of_damped,
        *plain[4:6],
        of_gradient,
        of_solution,
        plain[8],
    )


@by_others(linalg.lsmr)
def lsmr(A, b, damp: float = 0.0, **options) -> Any:
    """`scipy.sparse.linalg.lsmr`: solution, its norm and those of residuals; estimates are
    constants.

    SciPy's page says of the norm of the damped residual that it is without the damping.
    """
    x, plain, norms = _solution(linalg.lsmr, A, b, damp, options)
    _, of_damped, of_gradient, of_solution = norms
    return (x, *plain[0:2], of_damped, of_gradient, *plain[4:6], of_solution)


def _solution(solver, A, b, damp: float, options: Options) -> tuple[Any, Any, list[Any]]:
    """The solution, SciPy's result, and norms: of the residual, of that of the system with `damp`
    times the unit matrix below, of the gradient of its square, and of the solution.
    """
    options = {"damp": damp, **options}
    for name, value in options.items():
        if innermost((value,)) is not None:
            raise traced_option_error(
                solver,
                name,
                value,
                "pass a constant, or append damp times the unit matrix to A, and zeros to b",
            )
    given = {"solver": solver, "options": options}
    x = call_traced(least_squares_solution, (A, b), given)
    plain = call_traced(least_squares_estimates, (constant(A), constant(b)), given)
    r = np.reshape(b, -1) - _product(A, x)
    of_damped = np.sqrt(_norm(r) ** 2 + damp**2 * _norm(x) ** 2) if damp else _norm(r)
    slope = _product(conjugate_transpose(A), r) - damp**2 * x
    return x, plain, [_norm(r), of_damped, _norm(slope), _norm(x)]


def _product(A, x) -> Any:
    if isinstance(A, linalg.LinearOperator):
        return call_traced(operator_product, (x,), {"operator": A})
    return A @ x


def _solver(function) -> Any:
    """Let a solver also take a matrix of traced entries."""
    interceptable = made_interceptable(function)

    def solve(A, b, *args, **options):
        is_of_products = has_traced_products(A)
        if not (isinstance(A, TracedSparse) or is_of_products):
            return interceptable(A, b, *args, **options)
        given = inspect.signature(function).bind(A, b, *args, **options).arguments
        own = {name: value for name, value in given.items() if name not in ("A", "b")}
        if is_of_products:
            return solution_of_products(function, A, b, own), 0
        chosen = {**A.positions(), "solver": function, "options": own}
        x = call_traced(entries_solution, (A.entries, floats(b)), chosen)
        return x if function is linalg.spsolve else (x, 0)

    return takes_the_place_of(function)(solve)


def has_traced_products(A) -> bool:
    """Whether a matrix is an operator whose function captures traced values."""
    return isinstance(A, linalg.LinearOperator) and closed(A) is not A


def solution_of_products(function, A, b, options: Options) -> Any:
    """The solution for an operator whose products capture traced values, differentiated by its
    equation.

    A cotangent is solved for with derivatives of its products, of which no adjoint is asked.
    """
    itself = function in SELF_ADJOINT
    solver = function if itself else linalg.gmres
    known = inspect.signature(solver).parameters
    anew = {name: value for name, value in options.items() if name in known}
    anew |= dict.fromkeys(("x0", "callback") if itself else ("x0", "callback", "M"))

    def solved_by_products(product, c) -> Any:
        make: Any = linalg.LinearOperator
        return converged(solver, make((c.size, c.size), product, dtype=c.dtype), c, anew)

    return implicit_function(
        lambda: np.reshape(converged(function, A, b, options), -1),
        lambda x: A._matvec(x) - np.reshape(b, -1),
        linear_solver=solved_by_products,
    )()


STARTS = frozenset({"v0", "rng", "random_state"})


def _of_matrix(function):
    """Let a function of one matrix also take traced entries."""
    interceptable = made_interceptable(function)

    def found(A, *args, **options):
        given = inspect.signature(function).bind(A, *args, **options).arguments
        del given["A"]
        if STARTS.isdisjoint(given) and given.get("solver", "arpack") == "arpack":
            # ARPACK draws one, and vectors have other signs in each call
            start = np.random.default_rng(0).uniform(-1, 1, min(np.shape(A)))
            given["v0"] = start.astype(getattr(A, "dtype", float))
        if has_traced_products(A):
            instead = "pass the matrix itself, whose entries may be traced"
            raise traced_option_error(function, "A", A, instead)
        if not isinstance(A, TracedSparse):
            return interceptable(A, **given)
        for name in given.keys() - set(TAKEN[function].split()):
            raise traced_option_error(
                function, name, given[name], "leave it out, or pass a dense matrix"
            )
        return OF_ENTRIES[function](A.entries, A.positions(), **given)

    return takes_the_place_of(function)(found)


def _expm_multiply() -> Any:
    """`expm_multiply`, which says what to write for an operator that captures traced values."""
    interceptable = made_interceptable(linalg.expm_multiply)

    def multiplied(A, B, *args, **options):
        if has_traced_products(A):
            instead = (
                "pass a dense matrix, whose entries may be traced, or solve y' = A y by"
                " solve_ivp(lambda t, y: A.matvec(y), (0, 1), B) of chainrules_tape.scipy.integrate"
            )
            raise traced_option_error(linalg.expm_multiply, "A", A, instead)
        return interceptable(A, B, *args, **options)

    return takes_the_place_of(linalg.expm_multiply)(multiplied)


spsolve, expm_multiply = _solver(linalg.spsolve), _expm_multiply()
eigsh, svds = map(_of_matrix, (linalg.eigsh, linalg.svds))
globals().update(
    {_function.__name__: _solver(_function) for _function in existing(linalg, *ITERATIVE)}
)
__getattr__, __dir__ = stand_in(linalg, globals())
