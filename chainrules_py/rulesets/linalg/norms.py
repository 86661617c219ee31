"""Norms of vectors and matrices, by their gradients.

A norm is a real function, so that one array says all: its gradient g, the direction of steepest
ascent. Both modes use it, y_dot = Re sum conj(g) x_dot and x_bar = y_bar g, and are adjoint
wherever there is a choice: at a zero (vector, entry, singular value) g is 0, and where several
entries, columns or singular values are the largest they share equally.
"""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from chainrules_py import Array, LinearMap, Scalar, composed, linearised_rule
from chainrules_py.rulesets.formulas.array_likes import dense
from chainrules_py.rulesets.formulas.matrices import resolution
from chainrules_py.rulesets.formulas.reducing import reduced_axes
from chainrules_py.rulesets.linalg.degeneracy import of_values_alone
from chainrules_py.values.arrays import shape_of

Axes = tuple[int, ...]


@linearised_rule(np.linalg.norm)
def norm_linearised(
    x: Array | Scalar,
    *,
    ord: Any = None,
    axis: Any = None,
    keepdims: bool = False,
    out,
    xp,
) -> LinearMap:
    x = dense(x, xp)
    axes = reduced_axes(axis, x.ndim)
    if ord is not None and len(axes) == 2:
        return gradient_map(x, axes, lambda: matrix_gradient(x, axes, ord, xp), keepdims, xp)
    return gradient_map(
        x, axes, lambda: vector_gradient(x, out, axes, 2 if ord is None else ord, xp), keepdims, xp
    )


@composed(np.linalg.vector_norm)
def vector_norm(
    x: Array | Scalar, *, axis: Any = None, keepdims: bool = False, ord: Any = 2, xp
) -> Any:
    """The norm of vectors along axes, several of which are made one."""
    shape = shape_of(x)
    axes = reduced_axes(axis, len(shape))
    if len(axes) == 1:
        return xp.linalg.norm(x, ord=ord, axis=axes[0], keepdims=keepdims)
    kept = len(shape) - len(axes)
    moved = xp.moveaxis(x, axes, tuple(range(kept, len(shape)))) if kept else x
    rows = xp.reshape(moved, (*shape_of(moved)[:kept], prod(shape[axis] for axis in axes)))
    y = xp.linalg.norm(rows, ord=ord, axis=-1)
    return xp.reshape(y, _kept_shape(shape, axes)) if keepdims else y


@composed(np.linalg.matrix_norm)
def matrix_norm(x: Array, *, keepdims: bool = False, ord: Any = "fro", xp) -> Any:
    """The norm of the matrices in the last two axes."""
    return xp.linalg.norm(x, ord=ord, axis=(-2, -1), keepdims=keepdims)


def gradient_map(x, axes: Axes, gradient: Callable[[], Any], keepdims: bool, xp) -> LinearMap:
    """The derivative of a real function of the entries along some axes, from its gradient."""
    kept = _kept_shape(x.shape, axes)

    def norm_pushforward(x_dot):
        return xp.sum(xp.real(xp.conj(gradient()) * x_dot), axis=axes, keepdims=keepdims)

    def norm_pullback(y_bar):
        return xp.reshape(y_bar, kept) * gradient()

    return LinearMap(norm_pushforward, norm_pullback)


def _kept_shape(shape: tuple[int, ...], axes: Axes) -> tuple[int, ...]:
    return tuple(1 if axis in axes else length for axis, length in enumerate(shape))


def phase(x, size, xp) -> Any:
    """x / |x|, and 0 at 0: the gradient of the absolute value, whose own derivative is right for
    complex numbers.
    """
    return over_length(x, size, xp) if x.dtype.kind == "c" else xp.sign(x)


def over_length(x, length, xp) -> Any:
    """x / length, and 0 where that is 0; the square of its reciprocal may be out of range.

    A complex number over infinity is nan on some devices.
    """
    return xp.where(length == 0, 0, x / xp.where(length == 0, 1, length))


def vector_gradient(x, y, axes: Axes, ord, xp) -> Any:
    """The gradient of a vector norm `y`."""
    y = xp.reshape(y, _kept_shape(x.shape, axes))
    if ord == 2:
        return over_length(x, y, xp)
    size = xp.abs(x)
    if ord == 0:
        return xp.zeros_like(x)
    if ord == 1:
        return phase(x, size, xp)
    if ord in (np.inf, -np.inf):
        return phase(x, size, xp) * _shared_extreme(size, axes, ord > 0, xp)
    # Entries relative to the norm: neither overflows where the norm does not.
    absent = (size == 0) | (y == 0)
    relative = xp.where(absent, 1, size / xp.where(y == 0, 1, y))
    return phase(x, size, xp) * xp.where(absent, 0, relative ** (ord - 1))


def _shared_extreme(size, axes: Axes, largest: bool, xp) -> Any:
    """One, shared equally by the entries that are the largest (or the smallest) along the axes."""
    if 0 in size.shape:
        return size
    extreme = (xp.max if largest else xp.min)(size, axis=axes, keepdims=True)
    attained = xp.asarray(size == extreme, dtype=size.dtype)
    return attained / xp.sum(attained, axis=axes, keepdims=True)


def matrix_gradient(x, axes: Axes, ord, xp) -> Any:
    """The gradient of the matrix norm over two axes, rows first."""
    if ord in ("fro", "f"):
        return vector_gradient(x, xp.linalg.norm(x, axis=axes), axes, 2, xp)
    if ord in (2, -2, "nuc"):
        return _spectral_gradient(x, axes, ord, xp)
    size = xp.abs(x)
    summed, compared = axes if abs(ord) == 1 else axes[::-1]
    sums = xp.sum(size, axis=summed, keepdims=True)
    return phase(x, size, xp) * _shared_extreme(sums, (compared,), ord > 0, xp)


def _spectral_gradient(x, axes: Axes, ord, xp) -> Any:
    """U diag(share) V^H: each singular value is an absolute value, and the extreme ones share."""
    u, s, vh = xp.linalg.svd(xp.moveaxis(x, axes, (-2, -1)), full_matrices=False)
    share = nonzero_share(s, xp) if ord == "nuc" else extreme_share(s, ord > 0, xp)
    u, vh = of_values_alone(u, vh, s, share)
    return xp.moveaxis((u * xp.expand_dims(share, -2)) @ vh, (-2, -1), axes)


def nonzero_share(s, xp) -> Any:
    """1.0 for singular values that are above roundoff, 0.0 for the others."""
    return xp.asarray(s > resolution(s, xp), dtype=s.dtype)


def extreme_share(s, largest: bool, xp) -> Any:
    """One, shared equally by the largest (or smallest) of the sorted singular values.

    It is zero where that is zero.
    """
    extreme = s[..., :1] if largest else s[..., -1:]
    attained = xp.asarray(xp.abs(s - extreme) <= resolution(s, xp), dtype=s.dtype)
    return nonzero_share(s, xp) * attained / xp.sum(attained, axis=-1, keepdims=True)
