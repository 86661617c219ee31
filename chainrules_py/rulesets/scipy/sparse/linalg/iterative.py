"""Iterative solvers.

Their solution moves by the equation that it solves, and no iteration is differentiated.

A cotangent is solved for by the same solver with the adjoint matrix, and to the same tolerance. A
solver that stopped early gave no solution, so that there is nothing to differentiate.
"""

from typing import Any

from scipy.sparse import issparse, linalg

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.known_values import greatest_known
from chainrules_py.rulesets.formulas.matrices import computed_once
from chainrules_py.rulesets.scipy.linalg.calling import call
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.rulesets.scipy.sparse.linalg.patterns import Matrix, on_pattern
from chainrules_py.tangents import NO_TANGENT
from chainrules_py.values.arrays import Array, library_of_types
from chainrules_py.values.captured_values import frozen
from chainrules_py.values.identity import existing

SELF_ADJOINT = (linalg.cg, linalg.minres)


def converged(function, a, b, options: dict[str, Any]) -> Any:
    """The solution; raise if the solver did not converge."""
    x, info = call(function, a, b, **options)
    info = info if type(info) is int else greatest_known(abs(info))  # of many examples
    if info:
        raise NotDifferentiableError(
            f"scipy.sparse.linalg.{function.__name__}",
            f"the solver did not converge: info={info}",
            "pass a larger maxiter, a preconditioner M, or a larger rtol",
            primal=function,
            argument="A",
            info=info,
        )
    return x


def conjugate_transpose(a) -> Any:
    """The adjoint of a matrix, sparse or dense, or of an operator; None stays None."""
    if a is None or isinstance(a, linalg.LinearOperator):
        return None if a is None else a.H
    if a.dtype.kind != "c":
        return a.T
    if hasattr(a, "conj"):  # a box of autograd's has no such method
        return a.conj().T
    return library_of_types((type(a),)).namespace.conj(a).T


def adjoint_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options of the adjoint system: it begins at zero, and preconditioners are adjoint, too."""
    left, right = (conjugate_transpose(options.get(name)) for name in ("M1", "M2"))
    turned = {
        "M": conjugate_transpose(options.get("M")),
        "M1": right,
        "M2": left,
        "x0": None,
        "callback": None,
    }
    return {name: turned.get(name, value) for name, value in options.items()}


def system_maps(function, a, b, options: dict[str, Any]) -> tuple[Any, LinearMap | None, LinearMap]:
    """x_dot = A^-1 (b_dot - A_dot x), b_bar = A^-H x_bar and A_bar = -b_bar x^H.

    An operator is constant.
    """
    x = converged(function, a, b, options)
    a, options = frozen((a, options))
    anew = {name: value for name, value in options.items() if name not in ("x0", "callback")}
    itself = function in SELF_ADJOINT
    a_h, turned = (a, anew) if itself else (conjugate_transpose(a), adjoint_options(anew))
    right = computed_once(lambda x_bar: converged(function, a_h, x_bar, turned))

    def bar_of_matrix(y_bar):
        left = -right(y_bar[0])
        if issparse(a):
            return on_pattern(a, left, x)
        return left.reshape(-1, 1) * x.conj().reshape(1, -1)

    by_matrix = LinearMap(
        lambda dot: (converged(function, a, -(dot @ x).reshape(b.shape), anew), NO_TANGENT),
        bar_of_matrix,
    )
    by_side = LinearMap(
        lambda b_dot: (converged(function, a, b_dot, anew), NO_TANGENT),
        lambda y_bar: right(y_bar[0]).reshape(b.shape),
    )
    return (x, 0), None if isinstance(a, linalg.LinearOperator) else by_matrix, by_side


TAKEN = "x0 rtol atol maxiter M M1 M2 callback callback_type restart shift"
# with a preconditioner SciPy 1.17 returns something else, and says that it converged
WITHOUT_PRECONDITIONER = TAKEN.replace(" M ", " ")


def declare_solver(function) -> None:
    """Declare the rule of a solver, with those of the options above that it has."""

    @with_options(
        function, WITHOUT_PRECONDITIONER if function is linalg.tfqmr else TAKEN, linearised_rule
    )
    def iterative_linearised(
        A: Matrix, b: Array, *, options: Options
    ) -> tuple[Any, LinearMap | None, LinearMap]:
        return system_maps(function, A, b, options)


NAMES = ("bicg", "bicgstab", "cg", "cgs", "gcrotmk", "gmres", "lgmres", "minres", "qmr", "tfqmr")
for _function in existing(linalg, *NAMES):
    declare_solver(_function)
