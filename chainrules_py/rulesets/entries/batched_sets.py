"""Distinct values and set operations of many examples at once.

Values are sorted within each lane, and equal ones are neighbours. How many values are kept depends
on them, and has to be the same in all lanes. Where the values of lanes are not at hand, as under
another `vmap`, lanes are computed one by one.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chainrules_py import batched
from chainrules_py.batching.indices import positions_in_lanes, read_in_lanes
from chainrules_py.batching.lanes import Lanes, flat_lanes, is_known, laned_values
from chainrules_py.batching.parts import flat_in_lanes, in_one, library_of_parts
from chainrules_py.batching.words import in_a_loop
from chainrules_py.errors import BatchingError
from chainrules_py.rulesets.entries.sorting import Groups, starts_group
from chainrules_py.values.identity import qualified_name


class Sorted(NamedTuple):
    """The entries of each lane in order, where they were, and where other values begin."""

    values: Any
    order: Any
    starts: Any
    xp: Any

    @property
    def is_known(self) -> bool:
        """Whether it is known how many values each lane has; without any lane, it is not."""
        return bool(self.starts.shape[0] and is_known(self.starts))

    def counts(self) -> Any:
        """How often each distinct value is there."""
        length = self.starts.shape[1]
        (first,) = positions_in_lanes(self.starts)
        behind = np.full_like(first[:, :1], length, shape=(first.shape[0], 1))
        return self.xp.diff(self.xp.concatenate([first, behind], axis=1), axis=1)

    def numbers(self, shape: tuple[int, ...]) -> Any:
        """The number of the distinct value of each entry, in an array of this shape in each lane."""
        number = self.xp.cumsum(self.starts, axis=1) - 1
        found = self.xp.take_along_axis(number, self.xp.argsort(self.order, axis=1), axis=1)
        return found.reshape((found.shape[0], *shape))


def in_order(flat, equal_nan: bool, xp) -> Sorted:
    """Sort the entries of each lane, and say where groups of equal ones begin.

    Values come by `sort`, whose derivative is shared among equal ones, and not by `order`.
    """
    order = xp.argsort(flat, axis=1, stable=True)
    values = xp.sort(flat, axis=1)
    has_nan = np.dtype(flat.dtype).kind in "fc"
    return Sorted(values, order, starts_group(values, xp, equal_nan and has_nan), xp)


def kept(primal, x, mask) -> Any:
    """The entries of each lane where a mask holds, as many in all of them."""
    counts = mask.sum(axis=1)
    least, most = int(counts.min()), int(counts.max())
    if least != most:
        got = f"results of {least} to {most} values, which differ from lane to lane in their number"
        instead = "call it on one example after the other, outside of vmap"
        raise BatchingError(f"vmap({qualified_name(primal)})", got, instead)
    return read_in_lanes((True, True), x, mask)


@batched.register(np.unique)
def unique_batched(
    lanes: Lanes,
    ar: object,
    *,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    equal_nan: bool = True,
    **options,
) -> Any:
    """The first of each group of equal values."""
    own: Any = in_one(lanes[0], ar)
    flat = flat_lanes(own)
    found = in_order(flat, equal_nan, library_of_parts([flat]))
    if options or not found.is_known:
        flags = {
            "return_index": return_index,
            "return_inverse": return_inverse,
            "return_counts": return_counts,
            "equal_nan": equal_nan,
        }
        return in_a_loop(np.unique, lanes)(ar, **flags, **options)
    results = [kept(np.unique, found.values, found.starts)]
    if return_index:
        results.append(kept(np.unique, found.order, found.starts))
    if return_inverse:
        results.append(found.numbers(own.shape[1:]))
    if return_counts:
        results.append(found.counts())
    return tuple(results) if len(results) > 1 else results[0]


def with_flags(primal, *flags: str) -> None:
    """Register a function that is `unique` with flags, whose result has names."""

    @batched.register(primal)
    def named_batched(lanes: Lanes, x: object) -> Any:
        found = unique_batched(lanes, x, equal_nan=False, **dict.fromkeys(flags, True))
        return type(primal(np.zeros(1)))(*found)


with_flags(np.unique_counts, "return_counts")
with_flags(np.unique_inverse, "return_inverse")
with_flags(np.unique_all, "return_index", "return_inverse", "return_counts")


# --- Set operations ---

Choice = Callable[[Any, Any], Any]  # given how often a value is in the first array, and the second


def set_operation(primal, choice: Choice, in_given_order: bool = False) -> None:
    """Register a function of two sets; where arrays hold each value once and it keeps the order of
    the first, `in_given_order` says so.
    """

    @batched.register(primal)
    def set_batched(
        lanes: Lanes, ar1: object, ar2: object, *, assume_unique: bool = False, **options
    ) -> Any:
        count = next(laned_values(lanes, (ar1, ar2))).shape[0]
        one, other = flat_in_lanes(lanes[0], ar1, count), flat_in_lanes(lanes[1], ar2, count)
        xp = library_of_parts([one, other])
        found = in_order(xp.concatenate([one, other], axis=1), False, xp)
        is_promoted = in_given_order and found.values.dtype != one.dtype
        is_known = found.is_known and not is_promoted
        if options or not is_known or bool(xp.any(found.values != found.values)):
            given = {**options, "assume_unique": True} if assume_unique else options
            return in_a_loop(primal, lanes)(ar1, ar2, **given)
        in_first = found.order < one.shape[1]
        mask = choice(*numbers_in_groups(found, in_first, xp))
        if in_given_order and assume_unique:
            back = xp.argsort(found.order, axis=1)
            mask = xp.take_along_axis(mask, back, axis=1)[:, : one.shape[1]]
            return kept(primal, one, mask)
        return kept(primal, found.values, found.starts & mask)


def numbers_in_groups(found: Sorted, in_first, xp) -> tuple[Any, Any]:
    """How often the value of each sorted entry is in the first array, and in the second."""
    groups = Groups(found.starts, xp)
    running = xp.cumsum(in_first, axis=1)
    before = xp.concatenate([xp.zeros_like(running[:, :1]), running], axis=1)
    if not in_first.shape[1]:
        return running, running
    first = xp.take_along_axis(before, groups.end, axis=1) - xp.take_along_axis(
        before, groups.first, axis=1
    )
    return first, groups.end - groups.first - first


set_operation(np.union1d, lambda first, second: (first + second) > 0)
set_operation(np.intersect1d, lambda first, second: (first > 0) & (second > 0))
set_operation(np.setxor1d, lambda first, second: (first > 0) != (second > 0))
set_operation(np.setdiff1d, lambda first, second: (first > 0) & (second == 0), in_given_order=True)
