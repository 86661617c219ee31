"""Medians and quantiles: y = W s, with s the sorted entries and W two weights per row.

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

from chainrules_py import Array, LinearMap, OptionError, ProjectTo, Scalar, Space, linearised_rule
from chainrules_py.makers import Linearised
from chainrules_py.makers.products import selected_product
from chainrules_py.rulesets.entries.sorting import sorting_rows
from chainrules_py.rulesets.formulas.array_likes import IDENTITY, NO_CHANGE, ArrayLike, on_arrays
from chainrules_py.rulesets.formulas.reducing import given, reduced_axes
from chainrules_py.rulesets.reductions.statistics import aligned_weights
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

    def slope(self, entry: Callable[[Any], Any], xp) -> Any:
        """The derivative in the position, of what has these values at the entries."""
        at = entry(self.low)
        behind = entry(self.high) - at
        before = at - entry(self.before)
        mean = 0.5 * before + 0.5 * behind
        at_entry = xp.where(self.first, behind, xp.where(self.last, before, mean))
        return xp.where(self.fraction == 0, at_entry, behind)


def position(method: str, n, q, xp) -> Position:
    """The place of the quantiles q among n sorted entries, by the method of this name."""
    if method in CONTINUOUS:
        alpha, beta = CONTINUOUS[method]
        speed = n - 1.0 if method == "linear" else n + (1 - alpha - beta)
        v = (n - 1) * q if method == "linear" else n * q + (alpha + q * (1 - alpha - beta)) - 1
        low, fraction = xp.floor(v), v - xp.floor(v)
    elif method in DISCRETE:
        (low, fraction), speed = DISCRETE[method](n, q, xp), 0.0
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
    return Position(low, high, before, fraction, speed, q == 0, q == 1)


class Frame(NamedTuple):
    """How the reduced axes of an argument become rows, and rows of quantiles the output."""

    spec: Space
    axes: tuple[int, ...]
    q_shape: tuple[int, ...]
    y_shape: tuple[int, ...]
    xp: Any

    def rows(self, a) -> Any:
        """The reduced entries in the last axis."""
        last = tuple(range(self.spec.ndim - len(self.axes), self.spec.ndim))
        moved = self.xp.moveaxis(self.xp.asarray(a), self.axes, last)
        count = prod(self.spec.shape[axis] for axis in self.axes)
        return self.xp.reshape(moved, (*moved.shape[: self.spec.ndim - len(self.axes)], count))

    def unrows(self, rows) -> Any:
        """The adjoint of `rows`."""
        kept = tuple(axis for axis in range(self.spec.ndim) if axis not in self.axes)
        moved = self.xp.reshape(rows, tuple(self.spec.shape[axis] for axis in (*kept, *self.axes)))
        return self.xp.moveaxis(moved, tuple(range(len(kept), self.spec.ndim)), self.axes)

    def output(self, rows) -> Any:
        """From one quantile per entry of the last axis to the output: the axes of q come first."""
        return self.xp.reshape(self.xp.moveaxis(rows, -1, 0), self.y_shape)

    def output_rows(self, y_bar) -> Any:
        """The adjoint of `output`."""
        kept = tuple(length for axis, length in enumerate(self.spec.shape) if axis not in self.axes)
        levels = -1
        if 0 in kept:  # of an empty array, -1 says nothing
            levels = prod(filter(None, self.y_shape)) // prod(filter(None, kept))
        return self.xp.moveaxis(self.xp.reshape(y_bar, (levels, *kept)), 0, -1)

    def weighted_sum(self, weights: Callable[[], Any], ordering: LinearMap) -> LinearMap:
        """The sums of the entries in some order, with weights for each level of each row."""

        def quantile_pushforward(a_dot):
            ordered = ordering.push(self.rows(a_dot))[..., None, :]
            return self.output(self.xp.sum(selected_product(ordered, weights()), axis=-1))

        def quantile_pullback(y_bar):
            products = selected_product(self.output_rows(y_bar)[..., None], weights())
            return self.unrows(ordering.pull(self.xp.sum(products, axis=-2)))

        return LinearMap(quantile_pushforward, quantile_pullback)


def quantile_maps(
    a, y, q, axis, method: str, skip_nan: bool, per_unit: float, xp
) -> tuple[LinearMap, LinearMap]:
    """The derivatives in the entries and in q, of which `per_unit` units make one."""
    spec, q_spec = ProjectTo(a), ProjectTo(q)
    frame = Frame(spec, reduced_axes(axis, spec.ndim), q_spec.shape, shape_of(y), xp)
    rows = frame.rows(a)
    sorting = sorting_rows(rows, xp)
    n = xp.sum(~xp.isnan(rows), axis=-1, keepdims=True) if skip_nan else rows.shape[-1]
    at = position(method, n, xp.reshape(xp.asarray(q), -1) / per_unit, xp)
    entries = xp.arange(rows.shape[-1])

    def is_entry(index) -> Any:
        return entries == xp.expand_dims(xp.asarray(index), -1)

    def weights() -> Any:
        high = xp.expand_dims(xp.asarray(at.fraction), -1)
        return xp.where(is_entry(at.low), 1 - high, 0) + xp.where(is_entry(at.high), high, 0)

    def slope_in_q() -> Any:
        ordered = xp.expand_dims(xp.sort(rows, axis=-1), -2)

        def entry(index) -> Any:
            return xp.sum(xp.where(is_entry(index), ordered, 0), axis=-1)

        return at.slope(entry, xp) * at.speed / per_unit

    def q_pushforward(q_dot):
        return frame.output(slope_in_q() * xp.reshape(q_dot, -1))

    def q_pullback(y_bar):
        products = slope_in_q() * frame.output_rows(y_bar)
        return xp.reshape(xp.sum(products, axis=tuple(range(products.ndim - 1))), q_spec.shape)

    return frame.weighted_sum(weights, sorting), LinearMap(q_pushforward, q_pullback)


def weighted_maps(a, y, q, axis, weights, xp) -> tuple[LinearMap, LinearMap]:
    """The derivatives of quantiles with weights.

    Each is the mean of the entries that are equal to it and have a weight.
    """
    spec = ProjectTo(a)
    frame = Frame(spec, reduced_axes(axis, spec.ndim), shape_of(q), shape_of(y), xp)
    counting = (
        xp.broadcast_to(aligned_weights(xp.asarray(weights), spec.shape, axis, xp), spec.shape) > 0
    )

    def shares() -> Any:
        equal = frame.rows(a)[..., None, :] == frame.output_rows(y)[..., None]
        chosen = xp.where(equal & frame.rows(counting)[..., None, :], 1.0, 0.0)
        return chosen / xp.maximum(xp.sum(chosen, axis=-1, keepdims=True), 1)

    return frame.weighted_sum(shares, IDENTITY), NO_CHANGE


def quantile_rule(primal, skip_nan: bool, per_unit: float) -> None:
    """Register the rules of one of NumPy's quantile functions, of which `per_unit` levels make a
    whole.
    """

    @linearised_rule(primal)
    def quantile_linearised(
        a: Array | Scalar,
        q: ArrayLike,
        *,
        axis: Any = None,
        method: str = "linear",
        keepdims: bool = False,
        weights: Any = None,
        xp,
    ) -> Linearised:
        def of_levels(a, q, xp) -> Linearised:
            y = getattr(xp, primal.__name__)(
                a, q, axis=axis, method=method, keepdims=keepdims, **given(weights=weights)
            )
            if weights is not None:
                return y, *weighted_maps(a, y, q, axis, weights, xp)
            return y, *quantile_maps(a, y, q, axis, method, skip_nan, per_unit, xp)

        return on_arrays(of_levels, (a, q), xp)


for _primal, _skip_nan, _per_unit in (
    (np.quantile, False, 1),
    (np.percentile, False, 100),
    (np.nanquantile, True, 1),
    (np.nanpercentile, True, 100),
):
    quantile_rule(_primal, _skip_nan, _per_unit)


def median_rule(name: str, skip_nan: bool) -> None:
    """Register the rule of a median: the quantile at one half."""

    @linearised_rule(getattr(np, name))
    def median_linearised(
        a: Array | Scalar, *, axis: Any = None, keepdims: bool = False, xp
    ) -> Linearised:
        y = getattr(xp, name)(a, axis=axis, keepdims=keepdims)
        return y, quantile_maps(a, y, 0.5, axis, "linear", skip_nan, 1, xp)[0]


median_rule("median", skip_nan=False)
median_rule("nanmedian", skip_nan=True)
