"""``ufunc.reduce`` and ``ufunc.reduceat``.

Weighted sums of tangents, over the entries of each group.

The weight of an entry is the partial of its group's result in it. Groups are what is reduced over
axes, or, for `reduceat`, the stretches of an axis between one index and the next; these may
overlap, so the entries of all stretches are gathered first.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chainrules_py import Array, LinearMap, ProjectTo, ignore_derivatives, linearised_rule
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.formulas.reducing import mask_of, masked, restore_axes, weighted_sum
from chainrules_py.rulesets.reductions.cumulative import linear_recurrence, zero_or_product
from chainrules_py.rulesets.reductions.reductions import in_working_dtype, shifted

Shared = Callable[[Any], Any]  # the sums over the groups, at each of their entries
Weights = Callable[[Any, Any, Shared, Any], Any]


def equal_shares(x, y, shared: Shared, xp) -> Any:
    """Entries that are equal to the result share equally."""
    tied = xp.where(x == y, 1.0, 0.0)
    return tied / xp.maximum(shared(tied), 1)


def exponential_shares(exponential: str) -> Weights:
    """The exponential of x - y.

    Where the result is infinite, the entries that are equal to it share equally; none has a share
    in -inf, the logarithm of 0.
    """

    def shares(x, y, shared: Shared, xp):
        finite = xp.isfinite(y)
        difference = x - xp.where(finite, y, 0)
        return xp.where(
            finite,
            getattr(xp, exponential)(xp.where(finite, difference, 0)),
            xp.where(y > 0, equal_shares(x, y, shared, xp), 0.0),
        )

    return shares


def cosines(x, y, shared: Shared, xp):
    """x / y, and 0 where the length y is 0; of one entry alone, which is returned as it is, 1."""
    is_zero = y == 0
    is_alone = shared(xp.ones(x.shape)) == 1
    return xp.where(is_zero & is_alone, 1.0, x / xp.where(is_zero, 1, y))


WEIGHTS: dict[np.ufunc, Weights] = {
    np.logaddexp: exponential_shares("exp"),
    np.logaddexp2: exponential_shares("exp2"),
    np.hypot: cosines,
    **dict.fromkeys((np.maximum, np.minimum, np.fmax, np.fmin), equal_shares),
}


# --- Over axes ---


def reduce_rule(ufunc: np.ufunc, weights: Weights) -> None:
    """Register the rules of one ufunc's `reduce`.

    A start that was given takes part, and is a constant.
    """

    @linearised_rule(ufunc.reduce)
    def reduce_linearised(
        array: Array,
        *,
        axis: Any = 0,
        dtype: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
        out,
        xp,
    ) -> LinearMap:
        spec, mask, x = ProjectTo(array), mask_of(where, xp), in_working_dtype(array, dtype)
        result = restore_axes(out, spec, axis, keepdims, xp)
        start = 0.0 if initial is None else xp.where(result == initial, 1.0, 0.0)

        def shared(terms) -> Any:
            return xp.sum(masked(terms, mask, xp), axis=axis, keepdims=True) + start

        return weighted_sum(
            lambda: masked(weights(x, result, shared, xp), mask, xp), spec, axis, keepdims, xp
        )


# --- Over stretches of an axis ---


class Stretches(NamedTuple):
    """Which entries of an axis are in which stretch, one stretch after the other: their positions,
    and the stretch's number.

    As lists where the indices came from a device, which copies those, and takes no arrays of the
    host.
    """

    positions: Any
    number: Any
    starts: Any  # where in this order each stretch begins
    begins: Any  # whether one begins at an entry, known on the host

    @classmethod
    def between(cls, indices, length: int) -> "Stretches":
        """From each index to the next, the last to the end.

        Of one entry alone where the next index is not behind it.
        """
        on_host = not isinstance(indices, Array) or isinstance(indices, np.ndarray)
        first = np.asarray(indices if on_host else indices.tolist(), dtype=int)
        counts = np.maximum(np.append(first[1:], length) - first, 1)
        starts = np.cumsum(counts) - counts
        entries = np.arange(np.sum(counts))
        positions = np.repeat(first - starts, counts) + entries
        number = np.repeat(np.arange(first.size), counts)
        begins = np.isin(entries, starts)
        if on_host:
            return cls(positions, number, starts, begins)
        return cls(positions.tolist(), number.tolist(), starts.tolist(), begins)

    def shared(self, values, xp) -> Any:
        """The sums over the stretches, at each of their entries; along the first axis."""
        return xp.take(xp.add.reduceat(values, self.starts, axis=0), self.number, axis=0)

    def products_of_others(self, rows, xp) -> Any:
        """For each entry the product of all others of its stretch, along the first axis.

        Nothing is divided, so zeros are right.
        """
        ends = np.append(self.begins[1:], True)
        rows = xp.moveaxis(rows, 0, -1)
        before = earlier_products(rows, self.begins, xp)
        behind = xp.flip(earlier_products(xp.flip(rows, axis=-1), ends[::-1], xp), axis=-1)
        return xp.moveaxis(zero_or_product(before, behind, xp), -1, 0)


def earlier_products(rows, begins, xp) -> Any:
    """For each entry of a row the product of those before it, since the last place where a stretch
    begins.
    """
    reset = xp.asarray(begins.copy())
    factors = xp.where(reset, 0, shifted(rows, xp))
    return linear_recurrence(factors, xp.where(reset, xp.ones_like(rows), 0), xp)


def weighted_stretches(
    weights: Callable[[], Any], stretches: Stretches, shape: tuple[int, ...], xp
) -> LinearMap:
    """The sum of weighted entries over each stretch of the first axis, of an array of this shape."""

    def reduceat_pushforward(rows_dot):
        return xp.add.reduceat(
            zero_or_product(xp.take(rows_dot, stretches.positions, axis=0), weights(), xp),
            stretches.starts,
            axis=0,
        )

    def reduceat_pullback(y_bar):
        shared = xp.take(y_bar, stretches.number, axis=0)
        bars = zero_or_product(shared, xp.conj(weights()), xp)
        return scatter_add(bars, index=stretches.positions, shape=shape, dtype=bars.dtype)

    return LinearMap(reduceat_pushforward, reduceat_pullback)


def reduceat_rule(ufunc: np.ufunc) -> None:
    """Register the rules of one ufunc's `reduceat`."""

    @linearised_rule(ufunc.reduceat)
    def reduceat_linearised(
        array: Array, indices: object, *, axis: int = 0, dtype: Any = None, out, xp
    ) -> tuple[LinearMap, None]:
        rows, results = (
            xp.moveaxis(values, axis, 0) for values in (in_working_dtype(array, dtype), out)
        )
        stretches = Stretches.between(ignore_derivatives(indices), rows.shape[0])

        def weights() -> Any:
            entries = xp.take(rows, stretches.positions, axis=0)
            if ufunc is np.multiply:
                return stretches.products_of_others(entries, xp)
            if ufunc is np.add:
                return xp.ones_like(entries)
            of_result = xp.take(results, stretches.number, axis=0)
            return WEIGHTS[ufunc](
                entries, of_result, lambda values: stretches.shared(values, xp), xp
            )

        linear = weighted_stretches(weights, stretches, rows.shape, xp)

        def reduceat_pushforward(array_dot):
            return xp.moveaxis(linear.push(xp.moveaxis(array_dot, axis, 0)), 0, axis)

        def reduceat_pullback(y_bar):
            return xp.moveaxis(linear.pull(xp.moveaxis(y_bar, axis, 0)), 0, axis)

        return LinearMap(reduceat_pushforward, reduceat_pullback), None


_EXTREMES_BY_NAME = (np.maximum, np.minimum)  # whose `reduce` is numpy.max, numpy.min
_SUMS: tuple[np.ufunc, ...] = (np.add, np.multiply)

for _ufunc in WEIGHTS:
    if _ufunc not in _EXTREMES_BY_NAME:
        reduce_rule(_ufunc, WEIGHTS[_ufunc])
for _ufunc in (*_SUMS, *WEIGHTS):
    reduceat_rule(_ufunc)
