"""Eigenvalues and eigenvectors of general matrices, left and right ones.

Those of a pair, A v = w B v, are those of B^-1 A.
"""

from collections.abc import Callable
from typing import Any

from scipy import linalg

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.array_likes import chained
from chainrules_py.rulesets.formulas.matrices import adjoint, passes_zero, solve_by_adjoint
from chainrules_py.rulesets.linalg import eigen_general
from chainrules_py.rulesets.scipy.linalg.calling import call
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.tangents import ZERO, is_zero
from chainrules_py.values.arrays import Array


def by_pair(a, b, derivative: Callable[[Any], LinearMap], xp) -> tuple[LinearMap, LinearMap | None]:
    """The derivative by both matrices of a pair, from that of a function of B^-1 A."""
    if b is None:
        return derivative(a), None
    c = xp.linalg.solve(b, a)
    inner = derivative(c)
    by_c = LinearMap(
        lambda dot: xp.linalg.solve(b, dot), lambda c_bar: solve_by_adjoint(b, c_bar, xp)
    )
    by_b = LinearMap(
        lambda b_dot: by_c.push(-b_dot @ c), lambda c_bar: -by_c.pull(c_bar) @ adjoint(c, xp)
    )
    return chained(inner, by_c), chained(inner, by_b)


@linearised_rule(linalg.eig)
@with_options(linalg.eig, "left right check_finite")
def eig_linearised(
    a: Array, b: Array | None = None, *, options: Options, out, xp
) -> tuple[LinearMap, LinearMap | None]:
    """Values, and vectors of length one; left vectors are those of the adjoint matrix."""
    left, right = options.left, options.right
    if not (left or right):
        return eigenvalue_maps(a, b, xp)[1:]
    if left and b is not None:
        raise NotDifferentiableError(
            "scipy.linalg.eig",
            "left=True for a pair of matrices, which has no rule",
            "compute the right vectors of the adjoint matrices",
            primal=linalg.eig,
            argument="left",
        )
    w = out[0]

    def vectors_map(c) -> LinearMap:
        if not left:
            return eigen_general.eigenvector_map(w, out[1], xp, real_entries=b is None)
        of_adjoint = eigen_general.eigenvector_map(xp.conj(w), out[1], xp)
        of_right = eigen_general.eigenvector_map(w, out[2], xp) if right else None

        def push(a_dot) -> tuple[Any, ...]:
            w_dot, left_dot = of_adjoint.push(adjoint(a_dot, xp))
            return (xp.conj(w_dot), left_dot, *([of_right.push(a_dot)[1]] if of_right else []))

        def pull(y_bar) -> Any:
            w_bar = passes_zero(xp.conj)(y_bar[0])
            bar = ZERO
            if not (is_zero(w_bar) and is_zero(y_bar[1])):
                bar = adjoint(of_adjoint.pull((w_bar, y_bar[1])), xp)
            if of_right is None or is_zero(y_bar[2]):
                return bar
            return bar + of_right.pull((ZERO, y_bar[2]))

        return LinearMap(push, pull)

    return by_pair(a, b, vectors_map, xp)


def eigenvalue_maps(a, b, xp, **options) -> tuple[Any, LinearMap, LinearMap | None]:
    """The eigenvalues alone, with their derivative."""
    w, v = call(linalg.eig, *(a, b)[: 1 if b is None else 2], **options)
    return w, *by_pair(a, b, lambda c: eigen_general.eigenvalue_map(w, v, xp), xp)


@linearised_rule(linalg.eigvals)
def eigvals_linearised(
    a: Array, b: Array | None = None, *, check_finite: bool = True, xp
) -> tuple[Any, LinearMap, LinearMap | None]:
    return eigenvalue_maps(a, b, xp, check_finite=check_finite)
