"""Eigenvalues and eigenvectors of Hermitian matrices: all or some, of the pair A v = w B v, of
bands by way of whole matrices.

With B = L L^H, C = L^-1 A L^-H and u = L^H v, C u = w u.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.array_likes import composed
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    between_inverses,
    passes_zero,
    solve_triangular,
    value_at_hand,
)
from chainrules_py.rulesets.linalg import eigen_hermitian
from chainrules_py.rulesets.linalg.cholesky import cholesky_map
from chainrules_py.rulesets.scipy.linalg import bands
from chainrules_py.rulesets.scipy.linalg.calling import call
from chainrules_py.tangents import ZERO
from chainrules_py.values.arrays import Array


def spectrum_map(a: Any, out: Any, values_only: bool, first: Any, xp: Any) -> LinearMap:
    """The derivative of the values of a Hermitian matrix, and of their vectors; all of them, or
    those from `first` on.

    `first` is a position, or a function of all values that says it; None says that all were asked
    for.
    """
    if first is None:
        if not values_only:
            return eigen_hermitian.eigenvector_map(out[0], out[1], xp)
        w, v = call(linalg.eigh, a)
        return eigen_hermitian.eigenvalue_map(w, v, xp)
    w, v = call(linalg.eigh, a)
    start = first(value_at_hand(w)) if callable(first) else first
    chosen = slice(start, start + (out if values_only else out[0]).shape[-1])
    if values_only:
        return composed(
            part_of_last_axis(chosen, w.shape[-1], xp), eigen_hermitian.eigenvalue_map(w, v, xp)
        )
    # with the signs of what was given
    v = xp.concatenate([v[..., : chosen.start], out[1], v[..., chosen.stop :]], axis=-1)
    both, part = (
        eigen_hermitian.eigenvector_map(w, v, xp),
        part_of_last_axis(chosen, w.shape[-1], xp),
    )
    return LinearMap(
        lambda a_dot: tuple(map(part.push, both.push(a_dot))),
        lambda y_bar: both.pull(tuple(passes_zero(part.pull)(bar) for bar in y_bar)),
    )


def part_of_last_axis(chosen: slice, count: int, xp: Any) -> LinearMap:
    """The entries of a slice of the last axis, and zeros around them."""

    def surrounded(bar: Any) -> Any:
        return xp.pad(bar, [(0, 0)] * (bar.ndim - 1) + [(chosen.start, count - chosen.stop)])

    return LinearMap(lambda dot: dot[..., chosen], surrounded)


def first_above(bound: float) -> Callable[[Any], int]:
    """The number of values up to a bound, which all matrices of a stack have to agree about."""

    def found(w: Any) -> int:
        counts = np.sum(w <= bound, axis=-1)
        if counts.size and np.min(counts) != np.max(counts):
            raise NotDifferentiableError(
                "eigenvalues chosen by value",
                f"matrices of one stack have {np.min(counts)} to {np.max(counts)} values up to"
                f" {bound}",
                "differentiate them one by one, or choose by index",
                primal=linalg.eigh,
                argument="a",
            )
        return int(counts.flat[0]) if counts.size else 0

    return found


def first_of(by_index: Any, by_value: Any) -> Any:
    """Where the chosen values begin."""
    return (
        by_index[0]
        if by_index is not None
        else None
        if by_value is None
        else first_above(by_value[0])
    )


def whole(a: Any, lower: bool, xp: Any) -> Any:
    """The Hermitian matrix of which SciPy reads one triangle."""
    half = xp.tril(a, -1) if lower else xp.triu(a, 1)
    return half + adjoint(half, xp) + xp.triu(xp.tril(a))


def eigh_maps(
    a: Any, b: Any, out: Any, lower: bool, values_only: bool, first: Any, xp: Any
) -> tuple[LinearMap, LinearMap | None]:
    """The derivative by both matrices of a pair, of which the second may be None."""
    a = whole(a, lower, xp)
    if b is None:
        return spectrum_map(a, out, values_only, first, xp), None
    root = xp.linalg.cholesky(whole(b, lower, xp))
    c = between_inverses(root, a, xp)
    v = None if values_only else out[1]
    turned = out if values_only else (out[0], adjoint(root, xp) @ v)
    inner, factor = spectrum_map(c, turned, values_only, first, xp), cholesky_map(root, False, xp)

    def back(u_dot: Any, root_dot: Any) -> Any:
        return solve_triangular(
            root, u_dot - adjoint(root_dot, xp) @ v, xp, lower=True, of_adjoint=True
        )

    def by_first(a_dot: Any) -> Any:
        dots = inner.push(between_inverses(root, a_dot, xp))
        return dots if values_only else (dots[0], back(dots[1], ZERO))

    def by_second(b_dot: Any) -> Any:
        root_dot = factor.push(b_dot)
        moved = solve_triangular(root, root_dot, xp, lower=True) @ c
        dots = inner.push(-moved - adjoint(moved, xp))
        return dots if values_only else (dots[0], back(dots[1], root_dot))

    def inner_bars(y_bar: Any) -> tuple[Any, Any]:
        if values_only:
            return inner.pull(y_bar), ZERO
        u_bar = passes_zero(lambda bar: solve_triangular(root, bar, xp, lower=True))(y_bar[1])
        return inner.pull((y_bar[0], u_bar)), u_bar

    def first_bar(y_bar: Any) -> Any:
        c_bar, _ = inner_bars(y_bar)
        return between_inverses(root, c_bar, xp, of_adjoint=True)

    def second_bar(y_bar: Any) -> Any:
        c_bar, u_bar = inner_bars(y_bar)
        return factor.pull(
            -2 * solve_triangular(root, c_bar @ c, xp, lower=True, of_adjoint=True)
            - (ZERO if u_bar is ZERO else v @ adjoint(u_bar, xp))
        )

    return LinearMap(by_first, first_bar), LinearMap(by_second, second_bar)


@linearised_rule(linalg.eigh)
def eigh_linearised(
    a: Array,
    b: Array | None = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    check_finite: bool = True,
    subset_by_index: Any = None,
    subset_by_value: Any = None,
    driver: Any = None,
    out: Any,
    xp: Any,
) -> tuple[LinearMap, LinearMap | None]:
    return eigh_maps(a, b, out, lower, eigvals_only, first_of(subset_by_index, subset_by_value), xp)


@linearised_rule(linalg.eigvalsh)
def eigvalsh_linearised(
    a: Array,
    b: Array | None = None,
    *,
    lower: bool = True,
    check_finite: bool = True,
    subset_by_index: Any = None,
    subset_by_value: Any = None,
    driver: Any = None,
    out: Any,
    xp: Any,
) -> tuple[LinearMap, LinearMap | None]:
    return eigh_maps(a, b, out, lower, True, first_of(subset_by_index, subset_by_value), xp)


def first_selected(select: Any, select_range: Any) -> Any:
    """Where the values begin that the older options choose."""
    if select in (0, "a", "all"):
        return None
    return select_range[0] if select in (2, "i", "index") else first_above(select_range[0])


def banded_map(
    half: Any, lower: bool, out: Any, values_only: bool, first: Any, xp: Any
) -> LinearMap:
    """The derivative by the bands of a Hermitian matrix."""
    dense = LinearMap(
        lambda dot: bands.hermitian_dense(dot, lower, xp),
        lambda bar: bands.hermitian_bands(bar, half.shape[-2], lower, xp),
    )
    return composed(spectrum_map(dense.push(half), out, values_only, first, xp), dense)


@linearised_rule(linalg.eig_banded)
def eig_banded_linearised(
    a_band: Array,
    *,
    lower: bool = False,
    eigvals_only: bool = False,
    select: Any = "a",
    select_range: Any = None,
    max_ev: int = 0,
    check_finite: bool = True,
    out: Any,
    xp: Any,
) -> LinearMap:
    return banded_map(a_band, lower, out, eigvals_only, first_selected(select, select_range), xp)


@linearised_rule(linalg.eigvals_banded)
def eigvals_banded_linearised(
    a_band: Array,
    *,
    lower: bool = False,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
    out: Any,
    xp: Any,
) -> LinearMap:
    return banded_map(a_band, lower, out, True, first_selected(select, select_range), xp)


def tridiagonal_maps(
    d: Any, e: Any, out: Any, values_only: bool, first: Any, xp: Any
) -> tuple[LinearMap, LinearMap]:
    """The derivative by the diagonal and by the one beside it, which are the lower bands."""
    spaces = (d, e)

    def placed(dot: Any, row: int) -> Any:
        rows = [xp.zeros_like(d), xp.zeros_like(d)]
        rows[row] = xp.concatenate([dot, xp.zeros_like(d[..., :1])], axis=-1) if row else dot
        return xp.stack(rows, -2)

    whole_map = banded_map(placed(d, 0) + placed(e, 1), True, out, values_only, first, xp)

    def of_row(row: int) -> LinearMap:
        length = spaces[row].shape[-1]
        return LinearMap(
            lambda dot: whole_map.push(placed(dot, row)),
            lambda bar: whole_map.pull(bar)[..., row, :length],
        )

    return of_row(0), of_row(1)


@linearised_rule(linalg.eigh_tridiagonal)
def eigh_tridiagonal_linearised(
    d: Array,
    e: Array,
    *,
    eigvals_only: bool = False,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
    out: Any,
    xp: Any,
) -> tuple[LinearMap, LinearMap]:
    return tridiagonal_maps(d, e, out, eigvals_only, first_selected(select, select_range), xp)


@linearised_rule(linalg.eigvalsh_tridiagonal)
def eigvalsh_tridiagonal_linearised(
    d: Array,
    e: Array,
    *,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
    out: Any,
    xp: Any,
) -> tuple[LinearMap, LinearMap]:
    return tridiagonal_maps(d, e, out, True, first_selected(select, select_range), xp)
