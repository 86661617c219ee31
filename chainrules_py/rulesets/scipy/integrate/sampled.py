"""Integrals of samples: linear in the samples, by rules of trapezoids and parabolas."""

from typing import Any, cast

import numpy as np
from scipy import integrate

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.runs import index_along
from chainrules_py.rulesets.reductions.cumulative import reversed_sum
from chainrules_py.rulesets.sampled.differences import padded
from chainrules_py.rulesets.scipy.linear_pairs import ADJOINTS, linear_pair, transposed
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import not_implemented
from chainrules_py.values.arrays import Array, call

default_rules.alias(integrate.trapezoid, np.trapezoid)


@linearised_rule(integrate.cumulative_trapezoid)
def cumulative_trapezoid_linearised(
    y: Array,
    x: Array | None = None,
    *,
    dx: float = 1.0,
    axis: int = -1,
    initial: Any = None,
    out,
    xp,
) -> tuple[LinearMap, LinearMap | None]:
    """The running sum of widths times means; SciPy broadcasts samples and points against each other."""
    axis %= y.ndim
    y_shape, x_shape = y.shape, () if x is None else x.shape
    starts_with_zero = initial is not None
    low = index_along(axis, slice(None, -1))
    high = index_along(axis, slice(1, None))
    others = tuple(k for k in range(y.ndim) if k != axis)
    is_shared = x is not None and x.ndim == 1 < y.ndim  # the same points for all rows

    def widths_of(points) -> Any:
        if not is_shared:
            return xp.diff(points, axis=axis)
        return xp.reshape(xp.diff(points), tuple(-1 if k == axis else 1 for k in range(y.ndim)))

    widths = dx if x is None else widths_of(x)
    means = (y[low] + y[high]) / 2

    def summed(parts) -> Any:
        total = xp.cumsum(parts, axis=axis)
        return padded(total, axis, 1, 0, xp) if starts_with_zero else total

    def parts_bar(y_bar) -> Any:
        return reversed_sum(y_bar[high] if starts_with_zero else y_bar, axis, xp)

    def samples_pullback(y_bar) -> Any:
        half = xp.conj(widths) * parts_bar(y_bar) / 2
        bar = padded(half, axis, 0, 1, xp) + padded(half, axis, 1, 0, xp)
        return unbroadcast(bar, y_shape, xp)

    def points_pullback(y_bar) -> Any:
        bar = xp.conj(means) * parts_bar(y_bar)
        bar = padded(bar, axis, 1, 0, xp) - padded(bar, axis, 0, 1, xp)
        return xp.sum(bar, axis=others) if is_shared else unbroadcast(bar, x_shape, xp)

    def points_pushforward(dot) -> Any:
        return summed(widths_of(dot) * means)

    of_samples = LinearMap(
        lambda dot: summed(widths * (dot[low] + dot[high]) / 2), samples_pullback
    )
    return of_samples, None if x is None else LinearMap(points_pushforward, points_pullback)


def sum_adjoint(function) -> Any:
    """The adjoint of a weighted sum along an axis; the weights are the answers to unit vectors."""

    def adjoint(y_bar, shape, x: Any = None, axis: int = -1, **options) -> Any:
        n, units = shape[axis], np.eye(shape[axis])
        if x is None or np.ndim(x) == 1:
            weights = function(units, axis=-1, **options, **({} if x is None else {"x": x}))
        else:
            rows = np.moveaxis(x, axis, -1)
            found = [function(units, x=row, axis=-1, **options) for row in rows.reshape(-1, n)]
            weights = np.reshape(found, rows.shape)
        return np.moveaxis(np.expand_dims(y_bar, -1) * weights, -1, axis)

    return adjoint


ADJOINTS[integrate.simpson] = sum_adjoint(integrate.simpson)


@linearised_rule(integrate.simpson)
def simpson_linearised(
    y: Array, x: Array | None = None, *, dx: float = 1.0, axis: int = -1, out
) -> tuple[LinearMap, LinearMap | None]:
    shape, dtype = tuple(y.shape), y.dtype
    options: dict[str, Any] = {"dx": dx, "axis": axis} | ({} if x is None else {"x": x})
    missing = not_implemented("the derivative of Simpson's rule by the points")
    of_samples = LinearMap(
        lambda dot: call(integrate.simpson, dot, **options),
        lambda y_bar: transposed(y_bar, integrate.simpson, shape, dtype, options),
    )
    return of_samples, None if x is None else LinearMap(lambda dot: missing, lambda bar: missing)


linear_pair(integrate.romb, sum_adjoint(integrate.romb), "dx axis")
# entries by which an interval's share can be moved, and one more: from one before its start to
# three behind
NEAR = 5


def cumulative_simpson_adjoint(y_bar, shape, axis: int = -1, initial: Any = None, **options) -> Any:
    """Each interval is used by all sums from it on, and uses entries nearby.

    One in `NEAR` may be moved at a time.
    """
    n = shape[axis]
    lines = np.moveaxis(y_bar, axis, -1)[..., initial is not None :]
    used = np.flip(np.cumsum(np.flip(lines, -1), -1), -1)
    along = [1] * len(shape)
    along[axis] = n
    bars: Any = np.zeros((*used.shape[:-1], n + NEAR), used.dtype)
    intervals = np.arange(n - 1)
    for offset in range(NEAR):
        comb = np.broadcast_to(np.reshape(np.arange(n) % NEAR == offset, along), shape)
        sums = integrate.cumulative_simpson(comb * 1.0, axis=axis, initial=0.0, **options)
        entries = intervals - 1 + (offset - intervals + 1) % NEAR
        np.add.at(bars, cast(Any, (..., entries)), np.diff(np.moveaxis(sums, axis, -1)) * used)
    return np.moveaxis(bars[..., :n], -1, axis)


ADJOINTS[integrate.cumulative_simpson] = cumulative_simpson_adjoint


@linearised_rule(integrate.cumulative_simpson)
def cumulative_simpson_linearised(
    y: Array, *, x: Any = None, dx: float = 1.0, axis: int = -1, initial: Any = None, out
) -> LinearMap:
    """The value at the start does not move."""
    options = {"x": x, "dx": dx, "axis": axis, "initial": None if initial is None else 0.0}
    shape, dtype = tuple(y.shape), y.dtype
    return LinearMap(
        lambda dot: call(integrate.cumulative_simpson, dot, **options),
        lambda y_bar: transposed(y_bar, integrate.cumulative_simpson, shape, dtype, options),
    )
