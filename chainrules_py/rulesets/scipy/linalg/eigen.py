"""Eigenvalues and eigenvectors of Hermitian matrices.

All or some, of the pair A v = w B v, of bands by way of whole matrices.

With B = L L^H, C = L^-1 A L^-H and u = L^H v, C u = w u.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg

from chainrules_py import composed
from chainrules_py.errors import NotDifferentiableError
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.makers.declarations import as_primitive
from chainrules_py.rulesets.formulas.array_likes import chained
from chainrules_py.rulesets.formulas.matrices import (
    adjoint,
    between_inverses,
    hermitian_part,
    passes_zero,
    solve_triangular,
    value_at_hand,
    zero_padded,
)
from chainrules_py.rulesets.linalg import eigen_hermitian
from chainrules_py.rulesets.scipy.linalg import bands
from chainrules_py.rulesets.scipy.linalg.calling import call
from chainrules_py.rulesets.scipy.linalg.schur import below_diagonal
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.values.arrays import Array


def spectrum_map(a, out, lower: bool, values_only: bool, first, xp) -> LinearMap:
    """The derivative of the values of a Hermitian matrix, and of their vectors.

    `first` is the position of the first value in `out`, or a function that finds it among all
    values; None says that all are there.
    """
    if first is None and not values_only:
        return eigen_hermitian.eigenvector_map(out[0], out[1], xp, lower)
    w, v = call(linalg.eigh, a)
    if first is None:
        return eigen_hermitian.eigenvalue_map(w, v, xp)

    start = first(value_at_hand(w)) if callable(first) else first
    chosen = slice(start, start + (out if values_only else out[0]).shape[-1])
    part = part_of_last_axis(chosen, w.shape[-1], xp)
    if values_only:
        return chained(part, eigen_hermitian.eigenvalue_map(w, v, xp))
    # with the signs of what was given
    v = xp.concatenate([v[..., : chosen.start], out[1], v[..., chosen.stop :]], axis=-1)
    both = eigen_hermitian.eigenvector_map(w, v, xp, lower)
    return LinearMap(
        lambda a_dot: tuple(map(part.push, both.push(a_dot))),
        lambda y_bar: both.pull(tuple(passes_zero(part.pull)(bar) for bar in y_bar)),
    )


def part_of_last_axis(chosen: slice, count: int, xp) -> LinearMap:
    """The entries of a slice of the last axis, and zeros around them."""

    def surrounded(bar):
        return zero_padded(bar, (chosen.start, count - chosen.stop), xp=xp)

    return LinearMap(lambda dot: dot[..., chosen], surrounded)


def first_above(bound: float) -> Callable[[Any], int]:
    """Make a function that counts the values up to a bound, which must be as many in each matrix."""

    def count_below(w) -> int:
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
        return int(np.ravel(counts)[0]) if counts.size else 0

    return count_below


def whole(a, lower: bool, xp) -> Any:
    """The whole Hermitian matrix from the triangle that SciPy reads; its tangents are Hermitian,
    too.
    """
    known = ignore_derivatives(a)
    half = xp.tril(known, -1) if lower else xp.triu(known, 1)
    read = half + adjoint(half, xp) + xp.triu(xp.tril(known))
    return read + hermitian_part(a - known, xp)


Maps = tuple[LinearMap, None]
BY_INDEX_OR_VALUE = "check_finite subset_by_index subset_by_value driver"


def first_of_subset(options: Options) -> Any:
    """Where the chosen values begin; None if all are asked for."""
    if options.subset_by_index is not None:
        return options.subset_by_index[0]
    by_value = options.subset_by_value
    return None if by_value is None else first_above(by_value[0])


@with_options(linalg.eigh, f"lower eigvals_only {BY_INDEX_OR_VALUE}", linearised_rule)
def eigh_linearised(a: Array, b: None = None, *, options: Options, out, xp) -> Maps:
    first = first_of_subset(options)
    return spectrum_map(a, out, options.lower, options.eigvals_only, first, xp), None


@with_options(linalg.eigvalsh, f"lower {BY_INDEX_OR_VALUE}", linearised_rule)
def eigvalsh_linearised(a: Array, b: None = None, *, options: Options, out, xp) -> Maps:
    return spectrum_map(a, out, options.lower, True, first_of_subset(options), xp), None


@composed(linalg.eigh, one_by_one=True)
@with_options(linalg.eigh, f"lower eigvals_only {BY_INDEX_OR_VALUE}")
def eigh_of_pair(a: Array, b: Array, *, options: Options, xp) -> Any:
    """With B = L L^H, A v = w B v is C u = w u with C = L^-1 A L^-H and u = L^H v."""
    known = call(as_primitive(linalg.eigh), ignore_derivatives(a), ignore_derivatives(b), **options)
    root = xp.linalg.cholesky(whole(b, options.lower, xp))
    w, u = xp.linalg.eigh(between_inverses(root, whole(a, options.lower, xp), xp))
    if options.subset_by_value is not None:
        start = xp.sum(ignore_derivatives(w) <= options.subset_by_value[0], axis=-1, keepdims=True)
    else:
        start = (options.subset_by_index or (0,))[0]
    values = known if options.eigvals_only else known[0]
    chosen = start + np.arange(values.shape[-1]) + np.zeros(values.shape, int)
    w = xp.take_along_axis(w, chosen, axis=-1)
    if options.eigvals_only:
        return w
    given = adjoint(ignore_derivatives(root), xp) @ known[1]
    u = xp.take_along_axis(u, chosen[..., None, :] + np.zeros(given.shape, int), axis=-1)
    return w, solve_triangular(root, in_phase(u, given, xp), xp, lower=True, of_adjoint=True)


@composed(linalg.eigvalsh, one_by_one=True)
@with_options(linalg.eigvalsh, f"lower {BY_INDEX_OR_VALUE}")
def eigvalsh_of_pair(a: Array, b: Array, *, options: Options) -> Any:
    return call(linalg.eigh, a, b, eigvals_only=True, **options)


def in_phase(v, given, xp) -> Any:
    """Turn vectors to the phases of others."""
    overlap = xp.sum(xp.conj(ignore_derivatives(v)) * given, axis=-2, keepdims=True)
    return v * xp.sign(overlap)


SELECTED = "select select_range check_finite"


def subset_of(options: Options) -> dict[str, Any]:
    """The options of `eigh` for the values that are selected."""
    if options.select in (0, "a", "all"):
        return {}
    by_index = options.select in (2, "i", "index")
    return {"subset_by_index" if by_index else "subset_by_value": options.select_range}


def of_whole(function, arguments, whole, options: Options, xp) -> Any:
    """Eigenvalues of a whole matrix, and vectors with the phases of a function of SciPy."""
    if options.eigvals_only:
        return call(linalg.eigvalsh, whole, **subset_of(options))
    w, v = call(linalg.eigh, whole, **subset_of(options))
    given = call(as_primitive(function), *map(ignore_derivatives, arguments), **options)[1]
    return w, in_phase(v, given, xp)


@composed(linalg.eigvals_banded, one_by_one=True)
@with_options(linalg.eigvals_banded, f"lower {SELECTED}")
def eigvals_banded(a_band: Array, *, options: Options) -> Any:
    return call(linalg.eig_banded, a_band, eigvals_only=True, **options)


@composed(linalg.eig_banded, one_by_one=True)
@with_options(linalg.eig_banded, f"lower eigvals_only max_ev {SELECTED}")
def eig_banded(a_band: Array, *, options: Options, xp) -> Any:
    whole = bands.hermitian_dense(a_band, options.lower, xp)
    return of_whole(linalg.eig_banded, (a_band,), whole, options, xp)


@composed(linalg.eigvalsh_tridiagonal, one_by_one=True)
@with_options(linalg.eigvalsh_tridiagonal, f"tol lapack_driver {SELECTED}")
def eigvalsh_tridiagonal(d: Array, e: Array, *, options: Options) -> Any:
    return call(linalg.eigh_tridiagonal, d, e, eigvals_only=True, **options)


@composed(linalg.eigh_tridiagonal, one_by_one=True)
@with_options(linalg.eigh_tridiagonal, f"eigvals_only tol lapack_driver {SELECTED}")
def eigh_tridiagonal(d: Array, e: Array, *, options: Options, xp) -> Any:
    """Eigenvalues and vectors of the symmetric matrix with these two diagonals."""
    beside = below_diagonal(e, xp)
    whole = d[..., None] * np.eye(d.shape[-1], dtype=d.dtype) + beside
    whole = whole + xp.swapaxes(beside, -1, -2)
    return of_whole(linalg.eigh_tridiagonal, (d, e), whole, options, xp)
