"""Sums, means, products and extremes over axes.

What an axis was reduced over comes back as a broadcast.

The siblings of NumPy's functions that leave nan out have bodies: they put a number in its place.
"""

from typing import Any

import numpy as np

from chainrules_py import composed
from chainrules_py.makers import (
    Linearised,
    LinearMap,
    linear_rule,
    linearised_rule,
)
from chainrules_py.makers.products import strong_product
from chainrules_py.projection import ProjectTo, Space
from chainrules_py.rulesets.formulas.chosen_entries import (
    adding,
    chosen,
    own_function,
    sharing,
)
from chainrules_py.rulesets.formulas.matrices import values_in_all_lanes
from chainrules_py.rulesets.formulas.reducing import (
    count_of,
    given,
    mask_of,
    masked,
    reduced_axes,
    restore_axes,
    spread_over,
    weighted_sum,
)
from chainrules_py.values.arrays import Array, Scalar, shape_of

PLAIN = frozenset({np.ndarray, np.float64})


def in_working_dtype(a, dtype) -> Any:
    """The argument in the dtype that the reduction is asked to work in."""
    if dtype is None or dtype in (object, "O") or not hasattr(a, "astype"):
        return a
    return a.astype(dtype)


def every_entry(a, where, xp):
    """The mask of a reduction that leaves nothing out but what `where` leaves out.

    It is None where that leaves nothing out.
    """
    return where


def not_nan(a, where, xp) -> Any:
    """The mask of a reduction that leaves nan out, and what `where` leaves out."""
    return ~xp.isnan(a) if where is None else where & ~xp.isnan(a)


@linear_rule(np.sum, value_only=("initial",))
def sum_adjoint(
    y_bar,
    a: Space,
    *,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
    xp,
):
    """Every summand receives the whole cotangent."""
    a_bar = spread_over(y_bar, a, axis, keepdims, xp)
    return a_bar if where is True else xp.where(mask_of(where, xp), a_bar, 0)


LARGE = 2**15  # by which nothing is rounded


@linear_rule(np.mean)
def mean_adjoint(
    y_bar,
    a: Space,
    *,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    where: Any = True,
    xp,
):
    """Every entry receives the cotangent divided by the number of entries averaged.

    Where there is none, nothing.
    """
    if where is True:
        count = max(count_of(a, axis, None, xp), 1)
        if count > LARGE:  # half precision ends at 65504
            y_bar, count = y_bar / LARGE, count / LARGE
        return spread_over(y_bar / count, a, axis, keepdims, xp)
    mask = mask_of(where, xp)
    share = restore_axes(y_bar, a, axis, keepdims, xp)
    share = share / xp.maximum(count_of(a, axis, mask, xp), 1)
    return xp.where(mask, xp.broadcast_to(share, a.shape), 0)


def products_of_others(a, axis, xp) -> Any:
    """For each entry the product of all others that are reduced with it.

    Nothing is divided, so any number of zeros is right. Next to a zero, factors may overflow.
    """
    axes = reduced_axes(axis, a.ndim)
    if a.size == 0 or not axes:
        return xp.ones_like(a)
    last = tuple(range(a.ndim - len(axes), a.ndim))
    moved = xp.moveaxis(a, axes, last)
    rows = xp.reshape(moved, (*moved.shape[: last[0]], -1))
    before = xp.cumprod(shifted(rows, xp), axis=-1)
    after = xp.flip(xp.cumprod(shifted(xp.flip(rows, axis=-1), xp), axis=-1), axis=-1)
    others = before * after
    zeros = xp.where(rows == 0, 1, 0)
    is_zero = xp.sum(zeros, axis=-1, keepdims=True) - zeros > 0
    is_lost = is_zero & xp.all(xp.isfinite(rows), axis=-1, keepdims=True) & ~xp.isfinite(others)
    others = strong_product(xp.where(is_lost, 0.0, 1.0), others)
    return xp.moveaxis(xp.reshape(others, moved.shape), last, axes)


def shifted(rows, xp, first: float = 1) -> Any:
    """Each row moved on by one entry, with a constant in front."""
    return xp.concatenate([xp.full_like(rows[..., :1], first), rows[..., :-1]], axis=-1)


def multiplying(a, y, axis, keepdims: bool, initial, where, xp) -> LinearMap:
    """The partial in an entry is the product `y` of all over this one, or that of the others."""
    x = ProjectTo(a)

    def weights():
        factors = xp.asarray(a) if where is None else xp.where(where, a, 1)
        if initial is None and are_of_few_magnitudes(factors, count_of(x, axis, None, xp)):
            return masked(restore_axes(y, x, axis, keepdims, xp) / factors, where, xp)
        others = products_of_others(factors, axis, xp)
        return masked(others if initial is None else others * initial, where, xp)

    return weighted_sum(weights, x, axis, keepdims, xp)


SMALL = 1e-3


def are_of_few_magnitudes(a, count: int) -> bool:
    """Whether no product of up to so many entries is zero, overflows or loses digits: their
    quotients have all digits then, and so have their derivatives where no entry is small. Those of
    y / x by x are differences of y / x**2, which for four entries of 1e-8 leave 4e-6 of a fifth
    derivative that is zero.

    Values that are not at hand, on a device or traced by a compiler, are not looked at.
    """
    values = values_in_all_lanes(a)
    if type(values) is not np.ndarray or not values.size or values.dtype.kind not in "fc":
        return False
    magnitudes = np.abs(values)
    least = np.finfo(values.dtype).tiny ** (1 / count)  # as a float, that of a longdouble is 0
    most = 1 / least
    if values is not a:  # they are differentiated once more
        least = max(least, SMALL)
    return bool(magnitudes.min() >= least and magnitudes.max() <= most)


@linearised_rule(np.prod)
def prod_linearised(
    a: Array | Scalar,
    *,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
    xp,
) -> Linearised:
    where = mask_of(where, xp)
    y = xp.prod(a, axis=axis, keepdims=keepdims, **given(dtype=dtype, initial=initial, where=where))
    return y, multiplying(in_working_dtype(a, dtype), y, axis, keepdims, initial, where, xp)


def without_nan(name: str, number: float) -> None:
    """Give a body to the sum or product of all entries but nan, in place of which is a number."""

    @composed(getattr(np, f"nan{name}"))
    def of_numbers(
        a: Array | Scalar,
        *,
        axis: Any = None,
        dtype: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
        xp,
    ):
        options = given(dtype=dtype, initial=initial, where=mask_of(where, xp))
        filled = xp.where(xp.isnan(a), number, a)
        return getattr(xp, name)(filled, axis=axis, keepdims=keepdims, **options)

    @composed(getattr(np, f"nancum{name}"))
    def running(a: Array | Scalar, *, axis: Any = None, dtype: Any = None, xp):
        filled = xp.where(xp.isnan(a), number, a)
        return getattr(xp, f"cum{name}")(filled, axis=axis, **given(dtype=dtype))


without_nan("sum", 0)
without_nan("prod", 1)


@composed(np.nanmean)
def nanmean(
    a: Array | Scalar,
    *,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    where: Any = True,
    xp,
):
    """The sum over the number of entries that are not nan."""
    counting = not_nan(a, mask_of(where, xp), xp)
    total = xp.sum(xp.where(counting, a, 0), axis=axis, keepdims=keepdims, **given(dtype=dtype))
    count = xp.sum(xp.broadcast_to(counting, shape_of(a)), axis=axis, keepdims=keepdims)
    mean = total / count
    return mean.astype(total.dtype) if total.dtype.kind in "fc" else mean


def facing(y, x: Space, axis, keepdims: bool, xp) -> Any:
    """A value of a reduction's output as it broadcasts against the input.

    Over the first axis, and as a number, it does.
    """
    return y if axis == 0 or not shape_of(y) else restore_axes(y, x, axis, keepdims, xp)


def counter(most: int, dtype, xp) -> Any:
    """A dtype that counts this far.

    It has few bytes, which is fast, and a quotient with it has the precision of `dtype`.
    """
    if most < 2**15:
        return xp.int8 if most < 2**7 else xp.int16
    return dtype if getattr(dtype, "char", "") in ("f", "d") else None


def ties(a, y, x: Space, axis, keepdims: bool, initial, where, xp) -> tuple[Any, Any]:
    """Which entries are equal to the extreme, and how many of them there are: None for one each.

    `initial` takes part in the tie.
    """
    extreme = facing(y, x, axis, keepdims, xp)
    tied = a == extreme if where is None else (a == extreme) & where
    if initial is None and is_one_each(tied, y):
        return tied, None
    most = count_of(x, axis, None, xp) + 1  # with `initial`
    count = xp.sum(tied, axis=axis, keepdims=True, dtype=counter(most, x.dtype, xp))
    if initial is not None:
        count = count + (extreme == initial)
    return tied, xp.maximum(count, 1)


def is_one_each(tied, y) -> bool:
    """Whether each extreme is at one entry alone, as nearly all are: there are as many such entries
    as extremes, none of which is nan and so at no entry. To ask takes 0.6 us, to count 3.
    """
    if type(tied) is not np.ndarray or type(y) not in PLAIN:
        return False
    return bool(np.count_nonzero(tied) == y.size and not np.count_nonzero(y != y))


def picking(a, y, axis, keepdims: bool, initial, where, xp) -> LinearMap:
    """The extreme is a mean of the entries that are equal to it."""
    x = ProjectTo(a)

    def restored(y_bar) -> list[Any]:
        return [restore_axes(part, x, axis, keepdims, xp) for part in (y, y_bar)]

    def extreme_pushforward(a_dot):
        tied, count = ties(a, y, x, axis, keepdims, initial, where, xp)
        share = a_dot if count is None else a_dot / count
        return xp.sum(xp.where(tied, share, 0), axis=axis, keepdims=keepdims)

    def extreme_pullback(y_bar) -> Any:
        if initial is None and where is None:
            own = own_function(sharing, a, y_bar)
            add = None if own is None else own(a, *restored(y_bar), reduced_axes(axis, a.ndim), xp)
            if add is not None:
                return adding(add, a, xp)
        tied, count = ties(a, y, x, axis, keepdims, initial, where, xp)
        share = facing(y_bar, x, axis, keepdims, xp)
        return chosen(tied, share if count is None else share / count, x, xp)

    return LinearMap(extreme_pushforward, extreme_pullback)


@linearised_rule(np.max, np.min, np.nanmax, np.nanmin)
def extreme_linearised(
    a: Array | Scalar,
    *,
    axis: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
    out,
    xp,
) -> LinearMap:
    return picking(a, out, axis, keepdims, initial, mask_of(where, xp), xp)


@composed(np.ptp)
def ptp(a: Array | Scalar, *, axis: Any = None, keepdims: bool = False, xp) -> Any:
    """The greatest less the least."""
    greatest, least = [of(a, axis=axis, keepdims=keepdims) for of in (xp.max, xp.min)]
    return greatest - least
