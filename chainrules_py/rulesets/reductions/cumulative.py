"""Running sums and products.

The derivative of a running product is a linear recurrence, s[k] = a[k] s[k-1] + b[k], in either
direction. It is solved by doubling (P. Kogge, H. Stone, A parallel algorithm for the efficient
solution of a general class of recurrence equations, 1973): log2(n) vectorised steps, no division,
so zeros are right, and every step has rules, so any order is right.
"""

from typing import Any

import numpy as np

from chainrules_py import composed
from chainrules_py.makers import Linearised, LinearMap, linear_rule, linearised_rule
from chainrules_py.makers.products import selected_product
from chainrules_py.projection import Space
from chainrules_py.rulesets.formulas.reducing import given
from chainrules_py.rulesets.formulas.rows import map_along_axis, rows_along
from chainrules_py.rulesets.reductions.reductions import in_working_dtype, shifted
from chainrules_py.values.arrays import Array, Scalar, shape_of


def reversed_sum(y_bar, axis: int, xp) -> Any:
    """The running sum from the end."""
    return xp.flip(xp.cumsum(xp.flip(y_bar, axis=axis), axis=axis), axis=axis)


@linear_rule(np.cumsum)
def cumsum_adjoint(y_bar, a: Space, *, axis: int | None = None, dtype: Any = None, xp):
    """An entry is in every sum from it on."""
    return xp.reshape(reversed_sum(y_bar, 0 if axis is None else axis, xp), a.shape)


def linear_recurrence(a, b, xp) -> Any:
    """s[k] = a[k] s[k-1] + b[k] with s[-1] = 0, along the last axis.

    Where a is zero, what comes before does not count.
    """
    step = 1
    while step < b.shape[-1]:
        b = xp.concatenate(
            [b[..., :step], b[..., step:] + zero_or_product(b[..., :-step], a[..., step:], xp)],
            axis=-1,
        )
        a = xp.concatenate(
            [a[..., :step], zero_or_product(a[..., :-step], a[..., step:], xp)], axis=-1
        )
        step *= 2
    return b


def zero_or_product(b, a, xp) -> Any:
    """The product, and 0 where either factor is zero: a product of others may have overflowed."""
    return selected_product(b, xp.where(xp.isfinite(a) | (b != 0), a, 0))


def recurrence_map(carried, own, xp) -> LinearMap:
    """y_dot[k] = carried[k] y_dot[k-1] + own[k] x_dot[k] along the last axis, and the transposed
    recurrence, from the end.
    """

    def recurrence_pushforward(x_dot):
        return linear_recurrence(carried, zero_or_product(x_dot, own, xp), xp)

    def recurrence_pullback(y_bar):
        later = shifted(xp.flip(xp.conj(carried), axis=-1), xp) if carried.shape[-1] else carried
        total = linear_recurrence(later, xp.flip(y_bar, axis=-1), xp)
        return zero_or_product(xp.flip(total, axis=-1), xp.conj(own), xp)

    return LinearMap(recurrence_pushforward, recurrence_pullback)


def running_product(a, axis: int | None, xp) -> LinearMap:
    """The derivative of y[k] = a[k] y[k-1].

    The carried factor is a[k], an entry's own factor the product of those before it.
    """
    shape = shape_of(a)
    # of a number NumPy makes an array of one, over axes 0 and -1, too
    axis = axis if shape else None

    def recurrence() -> LinearMap:
        rows = rows_along(a, axis, xp)
        earlier = xp.cumprod(shifted(rows, xp), axis=-1) if rows.shape[-1] else rows
        return recurrence_map(rows, earlier, xp)

    rows_map = LinearMap(
        lambda a_dot: recurrence().push(a_dot), lambda y_bar: recurrence().pull(y_bar)
    )
    return map_along_axis(axis, shape, rows_map, xp)


@linearised_rule(np.cumprod)
def cumprod_linearised(
    a: Array | Scalar, *, axis: int | None = None, dtype: Any = None, xp
) -> Linearised:
    return xp.cumprod(a, axis=axis, **given(dtype=dtype)), running_product(
        in_working_dtype(a, dtype), axis, xp
    )


def accumulated(function, x, axis: int | None, dtype, xp, *, first: int | None) -> Any:
    """A running sum or product along an axis, with what it begins from in front where that is asked
    for.
    """
    x = np.atleast_1d(x)
    if axis is None and x.ndim > 1:
        raise ValueError("pass axis: None stands for the axis of a vector")
    axis = 0 if axis is None else axis
    y = function(x, axis=axis, dtype=dtype)
    if first is None:
        return y
    shape = list(x.shape)
    shape[axis] = 1
    return np.concatenate([xp.full(shape, first, y.dtype), y], axis=axis)


@composed(np.cumulative_sum)
def cumulative_sum(
    x, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False, xp
):
    """A running sum."""
    return accumulated(np.cumsum, x, axis, dtype, xp, first=0 if include_initial else None)


@composed(np.cumulative_prod)
def cumulative_prod(
    x, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False, xp
):
    """A running product."""
    return accumulated(np.cumprod, x, axis, dtype, xp, first=1 if include_initial else None)
