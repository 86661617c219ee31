"""Eigenvalues and eigenvectors of general matrices, left and right ones.

Those of a pair, A v = w B v, are those of B^-1 A. Their phases are not: LAPACK makes no entry of
them real, and what it computes depends on all rotations of its iteration.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import LinearMap, linearised_rule, primitive
from chainrules_py.rulesets.formulas.array_likes import NO_CHANGE, chained
from chainrules_py.rulesets.formulas.matrices import adjoint, passes_zero, solve_by_adjoint
from chainrules_py.rulesets.linalg import eigen_general
from chainrules_py.rulesets.linalg.phases import raise_open_phase, where_phases_turn
from chainrules_py.rulesets.scipy.linalg.calling import require_finite
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.tangents import ZERO, is_zero
from chainrules_py.values.arrays import Array


def by_pair(a, b, derivative: Callable[[Any], LinearMap], xp) -> tuple[LinearMap, LinearMap | None]:
    """The derivative with respect to both matrices of a pair, from that of a function of B^-1 A."""
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


@with_options(linalg.eig, "left right check_finite", linearised_rule)
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
            "left=True has no rule for a pair of matrices",
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

    by_a, by_b = by_pair(a, b, vectors_map, xp)
    if by_b is None or out[1].dtype.kind != "c":
        return by_a, by_b

    def with_phases(part: LinearMap, turns: Callable[[Any], Any]) -> LinearMap:
        def push(dot) -> tuple[Any, Any]:
            w_dot, v_dot = part.push(dot)
            return w_dot, where_phases_turn(v_dot, out[1], turns(dot), of=linalg.eig)

        return LinearMap(push, part.pull)

    return (
        with_phases(by_a, lambda a_dot: turns_of_phases(a, b, a_dot, 0)),
        with_phases(by_b, lambda b_dot: turns_of_phases(a, b, 0, b_dot)),
    )


@primitive
def turns_of_phases(a, b, a_dot, b_dot) -> Any:
    """The rates at which LAPACK turns each vector of a pair, by differences; nan if those disagree.

    >>> a, b = np.array([[1.0, 2.0], [-1.5, 0.5]]), np.array([[2.0, 0.3], [0.1, 1.0]])
    >>> np.abs(turns_of_phases(a, b, a, 0)).round(9)  # only the values grow
    array([0., 0.])
    """
    v = linalg.eig(a, b)[1]
    moved = max(relative_size(a_dot, a), relative_size(b_dot, b))
    if not moved:
        return np.zeros(v.shape[:-2] + v.shape[-1:])

    def quotient(step) -> Any:
        after, before = (linalg.eig(a + h * a_dot, b + h * b_dot)[1] for h in (step, -step))
        return np.imag(np.sum(np.conj(v) * (after - before), axis=-2)) / (2 * step)

    eps = np.finfo(v.dtype).eps
    for power in (1 / 4, 5 / 16, 3 / 8):  # the last ones where vectors move a lot
        step = eps**power / moved
        wide, close = quotient(step), quotient(step / 2)
        if np.all(np.abs(wide - close) <= eps**0.4 * (moved + np.abs(close))):
            return (4 * close - wide) / 3
    return np.full_like(close, np.nan)


@linearised_rule(turns_of_phases)
def turns_of_phases_linearised(
    a: Array, b: Array, a_dot: object, b_dot: object, *, out
) -> tuple[LinearMap, ...]:
    def refuse(_) -> Any:
        raise_open_phase(
            linalg.eig,
            "take second derivatives by grad, of what does not depend on the phase",
        )

    return (LinearMap(refuse, refuse),) * 4


def relative_size(x_dot, x) -> Any:
    """The size of a tangent beside that of its matrix."""
    return np.max(np.abs(x_dot)) / (np.max(np.abs(x)) or 1)


@primitive
def eig_but_for_phases(a, b, check_finite) -> tuple[Any, Any]:
    """Values and vectors of a pair, for formulas that do not depend on phases."""
    pair: Any = linalg.eig(a, b, check_finite=check_finite)
    return pair


@linearised_rule(eig_but_for_phases)
def eig_but_for_phases_linearised(
    a: Array, b: Array, check_finite: object, *, out, xp
) -> tuple[LinearMap, LinearMap | None, LinearMap]:
    def derivative(c) -> LinearMap:
        return eigen_general.eigenvector_map(out[0], out[1], xp, real_entries=False)

    return *by_pair(a, b, derivative, xp), NO_CHANGE


def eigenvalue_maps(a, b, xp, check_finite=True) -> tuple[Any, LinearMap, LinearMap | None]:
    """The eigenvalues alone, with their derivative."""
    if b is None:
        if check_finite:
            require_finite(a, xp=xp)
        w, v = eigen_general.eig_for_values(a)
        w = w + 0j  # SciPy's are never real
    else:
        w, v = eig_but_for_phases(a, b, check_finite)
    return w, *by_pair(a, b, lambda c: eigen_general.eigenvalue_map(w, v, xp), xp)


@linearised_rule(linalg.eigvals)
def eigvals_linearised(
    a: Array, b: Array | None = None, *, check_finite: bool = True, xp
) -> tuple[Any, LinearMap, LinearMap | None]:
    return eigenvalue_maps(a, b, xp, check_finite)
