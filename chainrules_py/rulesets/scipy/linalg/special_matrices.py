"""Matrices made of vectors whose entries stand in several places, and products column by column.

Where entries stand is asked of the function itself, which is given the numbers 1, 2, 3, ... in
place of the vectors.
"""

from typing import Any

import numpy as np
from scipy import linalg

from chainrules_py.makers import LinearMap, linear_rule, linearised_rule, non_differentiable
from chainrules_py.projection import ProjectTo, Space
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.linalg.norms import phase
from chainrules_py.rulesets.scipy.linalg.calling import call
from chainrules_py.table.entry_points import Pullback
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import ZERO, AbstractZero
from chainrules_py.values.arrays import Array, Scalar, shape_of
from chainrules_py.values.identity import existing

rrule, frule = default_rules.rrule, default_rules.frule


def numbers(*lengths: int) -> list[Any]:
    """1, 2, 3, ..., in vectors of these lengths."""
    return np.split(np.arange(1, sum(lengths) + 1), np.cumsum(lengths)[:-1])


def collected(y_bar: Any, places: Any, x: Space, start: int = 0) -> Any:
    """The sums of the cotangents of the places in which each entry of `x` stands, the numbers after
    `start`.
    """
    # some functions flatten
    length = x.shape[-1] if y_bar.ndim > 2 or len(x.shape) == 1 else int(np.prod(x.shape))
    entry = np.ravel(places) - 1 - start
    kept = np.flatnonzero((entry >= 0) & (entry < length))
    batch = y_bar.shape[:-2]
    values = y_bar.reshape((*batch, entry.size))[..., kept]
    bar = scatter_add(values, index=(..., entry[kept]), shape=(*batch, length), dtype=y_bar.dtype)
    return bar.reshape(x.shape) if len(batch) == 0 else unbroadcast(bar, x.shape, np)


def of_two_vectors(
    function: Any, c: Any, r: Any, places: Any, xp: Any
) -> tuple[LinearMap, LinearMap]:
    """The derivative by two vectors, of a matrix in which their numbered entries stand as in
    `places`.
    """
    of_c, of_r = ProjectTo(c), ProjectTo(r)
    return (
        LinearMap(
            lambda dot: call(function, dot, xp.zeros_like(r)),
            lambda bar: collected(bar, places, of_c),
        ),
        LinearMap(
            lambda dot: call(function, xp.zeros_like(c), dot),
            lambda bar: collected(bar, places, of_r, places.shape[0]),  # as many rows as c has
        ),
    )


@linearised_rule(linalg.toeplitz)
def toeplitz_linearised(
    c: Array, r: Array | None = None, *, out: Any, xp: Any
) -> tuple[LinearMap, LinearMap | None]:
    """Without a first row it is the conjugate of the first column."""
    m, n = out.shape[-2:]
    places = linalg.toeplitz(*numbers(m, n))
    if r is not None:
        return of_two_vectors(linalg.toeplitz, c, r, places, xp)
    space, above = ProjectTo(c), np.where(places > n + 1, places - n, 0)
    return (
        LinearMap(
            lambda dot: call(linalg.toeplitz, dot),
            lambda bar: collected(bar, places, space) + xp.conj(collected(bar, above, space)),
        ),
        None,
    )


@linearised_rule(linalg.hankel)
def hankel_linearised(
    c: Array, r: Array | None = None, *, out: Any, xp: Any
) -> tuple[LinearMap, LinearMap | None]:
    """Without a last row there are zeros below the antidiagonal."""
    if r is not None:
        return of_two_vectors(linalg.hankel, c, r, linalg.hankel(*numbers(*out.shape[-2:])), xp)
    space, places = ProjectTo(c), linalg.hankel(*numbers(out.shape[-1]))
    return (
        LinearMap(lambda dot: call(linalg.hankel, dot), lambda bar: collected(bar, places, space)),
        None,
    )


@linearised_rule(linalg.leslie)
def leslie_linearised(f: Array, s: Array, *, out: Any, xp: Any) -> tuple[LinearMap, LinearMap]:
    """The first row and what stands below the diagonal."""
    n = out.shape[-1]
    return of_two_vectors(linalg.leslie, f, s, linalg.leslie(*numbers(n, n - 1)), xp)


@linear_rule(linalg.circulant)
def circulant_adjoint(y_bar: Any, c: Space) -> Any:
    return collected(y_bar, linalg.circulant(*numbers(y_bar.shape[-1])), c)


@linear_rule(linalg.convolution_matrix)
def convolution_matrix_adjoint(y_bar: Any, a: Space, *, n: int, mode: str = "full") -> Any:
    return collected(y_bar, linalg.convolution_matrix(numbers(a.shape[-1])[0], n, mode=mode), a)


@linear_rule(linalg.diagsvd)
def diagsvd_adjoint(y_bar: Any, s: Space, *, M: int, N: int) -> Any:
    return collected(y_bar, linalg.diagsvd(numbers(s.shape[-1])[0], M, N), s)


def declare_companion(function: Any) -> None:
    """Declare the rule of a matrix of which some entries are those of -a / a[0]."""

    @linearised_rule(function)
    def companion_linearised(a: Array, *, xp: Any) -> tuple[Any, LinearMap]:
        # the constant entries become negative
        places = -function(*numbers(a.shape[-1])).astype(int) - 1
        there, leading, monic = places >= 0, a[..., :1], a / a[..., :1]
        space = ProjectTo(monic)

        def push(a_dot: Any) -> Any:
            moved = (monic * a_dot[..., :1] - a_dot) / leading
            return xp.where(xp.asarray(there), moved[..., np.where(there, places, 0)], 0)

        def pull(y_bar: Any) -> Any:
            bar = -collected(y_bar, np.where(there, places + 1, 0), space) / xp.conj(leading)
            first = -xp.sum(xp.conj(monic) * bar, axis=-1, keepdims=True)
            return xp.concatenate([bar[..., :1] + first, bar[..., 1:]], axis=-1)

        return call(function, a), LinearMap(push, pull)


for _function in (linalg.companion, linalg.fiedler_companion):
    declare_companion(_function)


@linearised_rule(linalg.fiedler)
def fiedler_linearised(a: Array, *, out: Any, xp: Any) -> LinearMap:
    """Distances; that of an entry from itself, and from one like it, is at a kink."""
    direction = phase(xp.expand_dims(a, -1) - xp.expand_dims(a, -2), out, xp)

    def push(a_dot: Any) -> Any:
        return xp.real(xp.conj(direction) * (xp.expand_dims(a_dot, -1) - xp.expand_dims(a_dot, -2)))

    def pull(y_bar: Any) -> Any:
        weights = y_bar * direction
        return xp.sum(weights, axis=-1) - xp.sum(weights, axis=-2)

    return LinearMap(push, pull)


def of_columns(y_bar: Any, space: Space, other: Any, axis: int, xp: Any) -> Any:
    """The cotangent of one factor of products column by column."""
    rows = space.shape[-2], other.shape[-2]
    parts = y_bar.reshape(
        (*y_bar.shape[:-2], *(rows if axis == -2 else rows[::-1]), y_bar.shape[-1])
    )
    bar = xp.sum(parts * xp.conj(xp.expand_dims(other, -3 if axis == -2 else -2)), axis=axis)
    return unbroadcast(bar, space.shape, xp)


def khatri_rao_adjoint_a(y_bar: Any, a: Space, b: Array, *, xp: Any) -> Any:
    return of_columns(y_bar, a, b, -2, xp)


def khatri_rao_adjoint_b(y_bar: Any, a: Array, b: Space, *, xp: Any) -> Any:
    return of_columns(y_bar, b, a, -3, xp)


linear_rule(linalg.khatri_rao, khatri_rao_adjoint_a, khatri_rao_adjoint_b)
for _function in existing(linalg, "kron"):
    default_rules.alias(_function, np.kron)


@rrule.register(linalg.block_diag)
def block_diag_rrule(*arrs: Array | Scalar) -> tuple[Any, Pullback]:
    """Each block takes its part; numbers and vectors are rows."""
    spaces = [ProjectTo(arr) for arr in arrs]
    shapes = [shape_of(arr) for arr in arrs]

    def block_diag_pullback(y_bar: Any) -> tuple[Any, ...]:
        bars, row, column = [], 0, 0
        for shape, space in zip(shapes, spaces, strict=True):
            rows, columns = (1, *shape[-1:]) if len(shape) == 1 else shape[-2:] or (1, 1)
            part = y_bar[..., row : row + rows, column : column + columns]
            bars.append(space(unbroadcast(part, (*shape[:-2], rows, columns), np).reshape(shape)))
            row, column = row + rows, column + columns
        return tuple(bars)

    return call(linalg.block_diag, *arrs), block_diag_pullback


@frule.register(linalg.block_diag)
def block_diag_frule(dots: tuple[Any, ...], *arrs: Array | Scalar, xp: Any) -> tuple[Any, Any]:
    """The matrix of the tangents, with zeros for those that are zero."""
    y = call(linalg.block_diag, *arrs)
    if all(isinstance(dot, AbstractZero) for dot in dots):
        return y, ZERO
    parts = (
        xp.zeros(shape_of(arr)) if isinstance(dot, AbstractZero) else dot
        for dot, arr in zip(dots, arrs, strict=True)
    )
    return y, ProjectTo(y)(call(linalg.block_diag, *parts))


non_differentiable(  # matrices of whole numbers, and what is asked of a matrix
    *(
        linalg.hilbert,
        linalg.invhilbert,
        linalg.pascal,
        linalg.invpascal,
        linalg.hadamard,
        linalg.helmert,
        linalg.dft,
    ),
    *(linalg.bandwidth, linalg.ishermitian, linalg.issymmetric),
)
