"""Medians and quantiles: sorted entries, or between two of them.

R. Hyndman and Y. Fan, Sample quantiles in statistical packages (1996), give the position of the
quantile among n entries, counted from 0: v = n q + alpha + q (1 - alpha - beta) - 1. Entries that
are equal share, as in sorting. Quantiles have a derivative in q, too, where v moves continuously:
the slope between two entries. Where v is at an entry, it is the mean of the slopes before and
behind it; at q = 0 and q = 1 there is only one of them.

A quantile with weights is one of the entries, whatever the weights and q are nearby.
"""

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from chainrules_py import (
    NO_TANGENT,
    Array,
    OptionError,
    Scalar,
    composed,
    ignore_derivatives,
    primitive,
    scalar_rule,
)
from chainrules_py.rulesets.formulas.array_likes import ArrayLike
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.rulesets.formulas.reducing import reduced_axes
from chainrules_py.rulesets.reductions.statistics import aligned
from chainrules_py.values.arrays import shape_of

CONTINUOUS = {
    "linear": (1.0, 1.0),
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
DISCRETE: dict[str, Callable[[Any, Any, Any], tuple[Any, Any]]] = {
    "lower": lambda n, q, xp: (xp.floor((n - 1) * q), 0.0),
    "higher": lambda n, q, xp: (xp.ceil((n - 1) * q), 0.0),
    "nearest": lambda n, q, xp: (xp.round((n - 1) * q), 0.0),
    "midpoint": lambda n, q, xp: (xp.floor((n - 1) * q), xp.where((n - 1) * q % 1 == 0, 0.0, 0.5)),
    "inverted_cdf": lambda n, q, xp: (xp.ceil(n * q) - 1, 0.0),
    "averaged_inverted_cdf": lambda n, q, xp: (
        xp.ceil(n * q) - 1,
        xp.where(n * q % 1 == 0, 0.5, 0.0),
    ),
}


class Position(NamedTuple):
    """Between which sorted entries quantiles are.

    They are `fraction` of the way from `low` to `high`, moving with q at `speed`. Those at an
    entry, `low`, come to it from the one at `before`; where q ends there, `first` or `last`, from
    one side only.
    """

    low: Any
    high: Any
    before: Any
    fraction: Any
    speed: Any
    first: Any
    last: Any

    def slope(self, entry: Callable[[Any], Any], xp):
        """The derivative in the position, at one of the entries, of what has these values there."""
        at = entry(self.low)
        behind = entry(self.high) - at
        before = at - entry(self.before)
        mean = 0.5 * before + 0.5 * behind
        return xp.where(self.first, behind, xp.where(self.last, before, mean))


def position(method: str, n, q, xp) -> Position:
    """The place of the quantiles q among n sorted entries, by the method of this name."""
    known = ignore_derivatives(q)
    if method in CONTINUOUS:
        alpha, beta = CONTINUOUS[method]
        speed = n - 1.0 if method == "linear" else n + (1 - alpha - beta)
        v = (n - 1) * q if method == "linear" else n * q + (alpha + q * (1 - alpha - beta)) - 1
        low = xp.floor(ignore_derivatives(v))
        fraction = v - low
    elif method in DISCRETE:
        (low, fraction), speed = DISCRETE[method](n, known, xp), 0.0
    else:
        raise OptionError(
            "the rule of numpy.quantile",
            f"got method={method!r}",
            f"write one of {', '.join((*CONTINUOUS, *DISCRETE))}",
            primal=np.quantile,
            option="method",
            value=method,
        )
    last = xp.maximum(n - 1, 0)
    low, high, before = (
        xp.minimum(xp.maximum(index, 0), last) for index in (low, low + 1, low - 1)
    )
    return Position(low, high, before, fraction, speed, known == 0, known == 1)


@primitive
def tilted(y, x, slope):
    """The value y, which moves with x by this slope."""
    return y


scalar_rule(tilted, "y, x, slope", "1", "slope", NO_TANGENT)


def entries_at(rows, index, xp):
    """The entries of sorted rows at some positions in each."""
    shape = (*rows.shape[:-1], index.shape[-1])
    return xp.take_along_axis(rows, xp.broadcast_to(index, shape).astype(int), axis=-1)


def quantiles_of_rows(rows, levels, method: str, skips: bool, xp):
    """Quantiles between two of the sorted entries of each row, nan left out where it is skipped."""
    if not rows.shape[-1]:
        return xp.full((*rows.shape[:-1], levels.shape[-1]), np.nan)
    rows = xp.sort(rows, axis=-1)
    is_nan = xp.isnan(rows)
    number = xp.sum(~is_nan, axis=-1, keepdims=True) if skips else rows.shape[-1]
    place = position(method, number, levels, xp)

    def entry(index):
        return entries_at(rows, index, xp)

    low = entry(place.low)
    at_entry = low
    if ignore_derivatives(levels) is not levels:
        at_entry = tilted(low, levels, place.slope(entry, xp) * place.speed)
    between = low + (entry(place.high) - low) * place.fraction
    y = xp.where(place.fraction == 0, at_entry, between)
    return xp.where(is_unknown(is_nan, skips), np.nan, y)


def weighted_quantiles_of_rows(rows, weights, levels, skips: bool, xp):
    """The entries of each row at which the sum of the weights of smaller ones reaches the levels:
    the mean of those that are equal to it and have a weight.
    """
    known = ignore_derivatives(rows)
    order = xp.argsort(known, axis=-1)
    in_order, part = [xp.take_along_axis(x, order, axis=-1) for x in (known, weights)]
    is_nan = xp.isnan(in_order)
    unknown = is_unknown(is_nan, skips)
    part = xp.cumsum(xp.where(is_nan & skips & ~unknown, 0, part), axis=-1, dtype=np.float64)
    part = part / part[..., -1:]
    if any_at_hand(xp.isnan(part[..., -1])):
        raise ValueError("Weights included NaN, inf or were all zero.")
    part = xp.where(part == 0, -1, part).astype(levels.dtype)  # at level 0, too
    below = xp.sum(part[..., None, :] < ignore_derivatives(levels)[..., None], axis=-1)
    found = entries_at(in_order, xp.minimum(below, rows.shape[-1] - 1), xp)
    counts = (known[..., None, :] == found[..., None]) & (weights > 0)[..., None, :]
    shares = xp.sum(xp.where(counts, rows[..., None, :], 0), axis=-1) / xp.maximum(
        xp.sum(counts, axis=-1), 1
    )
    return xp.where(unknown, np.nan, shares)


def is_unknown(is_nan, skips: bool):
    """Whether a sorted row has no quantile: all entries are nan, or one where none is skipped."""
    return is_nan.all(axis=-1, keepdims=True) if skips else is_nan[..., -1:]


def quantile_body(primal, skips: bool, per_unit: float) -> None:
    """Give a body to one of NumPy's quantile functions, of which `per_unit` levels make a whole."""

    @composed(primal)
    def quantile(
        a: ArrayLike,
        q: ArrayLike,
        *,
        axis: Any = None,
        method: str = "linear",
        keepdims: Any = False,
        weights: Any = None,
        xp,
    ):
        """The entries along some axes are rows; the axes of the levels come first."""
        a = xp.asarray(a)
        if any_at_hand((q < 0) | (q > per_unit)) or a.dtype.kind == "c":
            primal(np.zeros(1, a.dtype), -1.0)  # for its error
        levels = q if shape_of(q) else q * xp.ones(1, a.dtype)  # a Python number is weak
        axes = reduced_axes(axis, a.ndim)
        kept = [k for k in range(a.ndim) if k not in axes]
        lengths = [a.shape[k] for k in kept]

        def in_rows(x):
            count = prod(a.shape[k] for k in axes)
            return xp.reshape(xp.transpose(x, (*kept, *sorted(axes))), (*lengths, count))

        parts = xp.reshape(levels, (-1,)) / per_unit
        options: dict[str, Any] = {"method": method}
        if weights is None:
            y = quantiles_of_rows(in_rows(a), parts, method, skips, xp)
        else:
            options["weights"] = np.full(2, -1 if any_at_hand(weights < 0) else 1)
            weights = xp.broadcast_to(aligned(xp.asarray(weights), a.shape, axis, xp), a.shape)
            y = weighted_quantiles_of_rows(in_rows(a), in_rows(weights), parts, skips, xp)

        # NumPy is asked for the dtype, and for its errors
        one = np.ones((), levels.dtype)[()]
        dtype = primal(np.ones(2, a.dtype), one, **options).dtype
        if keepdims and keepdims is not np._NoValue:
            lengths = [1 if k in axes else length for k, length in enumerate(a.shape)]
        return xp.reshape(xp.moveaxis(y, -1, 0), (*shape_of(q), *lengths)).astype(dtype)


for _primal, _skips, _per_unit in (
    (np.quantile, False, 1),
    (np.percentile, False, 100),
    (np.nanquantile, True, 1),
    (np.nanpercentile, True, 100),
):
    quantile_body(_primal, _skips, _per_unit)


@composed(np.median)
def median(a: Array | Scalar, *, axis: Any = None, keepdims: Any = False, xp):
    """The quantile at one half."""
    return xp.quantile(a, 0.5, axis=axis, keepdims=keepdims)


@composed(np.nanmedian)
def nanmedian(a: Array | Scalar, *, axis: Any = None, keepdims: Any = False, xp):
    """The quantile at one half, of the entries that are not nan."""
    return xp.nanquantile(a, 0.5, axis=axis, keepdims=keepdims)
