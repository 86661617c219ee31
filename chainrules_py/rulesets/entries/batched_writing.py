"""Writing entries of many examples.

What is written to always has lanes: it is one array for each example. An assignment writes into all
of them at once. What has no such form is written lane by lane, into a view of each.
"""

import math
import operator
from typing import Any

import numpy as np

from chainrules_py import Array, batched
from chainrules_py.annotations import Args
from chainrules_py.batching.failures import note_handled
from chainrules_py.batching.indices import index_in_lanes
from chainrules_py.batching.lanes import (
    Lanes,
    behind_lanes,
    changed_lanes,
    laned_values,
    with_lanes,
)
from chainrules_py.errors import BatchingError
from chainrules_py.rulesets.entries.scatter import hits_nothing_twice


@batched.register(operator.setitem)
def setitem_batched(lanes: Lanes, a: Array, index: object, values: object, *, xp) -> None:
    """a[index] = values in each lane."""
    if kind_of_index(index) == "b" and lanes[1] is True:
        written_where(lanes, a, index, values, xp)
        return
    items, written = place_in_lanes(lanes, a, index, values, xp)
    own: Any = a
    own[items] = written


def written_where(lanes: Lanes, a, mask, values, xp) -> None:
    """Write where a mask holds that differs from lane to lane, mostly a number."""
    if np.ndim(values) > bool(lanes[2]):
        try:
            items, written = place_in_lanes(lanes, a, mask, values, xp)
        except BatchingError as error:  # lanes may differ in how many entries they write
            note_handled(error)
            lane_by_lane(operator.setitem, lanes, (a, mask, values), {})
        else:
            a[items] = written
        return
    mask = mask.reshape(mask.shape + (1,) * (a.ndim - mask.ndim))
    written = behind_lanes(values, a.ndim - 1) if lanes[2] else values
    xp.copyto(a, written, where=mask, casting="unsafe")


def place_in_lanes(lanes: Lanes, a, index, values, xp) -> tuple[Any, Any]:
    """Where in the array of all lanes, and what, ``a[index] = values`` writes in each of them."""
    count, shape = a.shape[0], a.shape[1:]
    found = index_in_lanes(True, shape, lanes[1], index, count, xp)
    if not np.ndim(values):
        return found.items, values
    if lanes[2] is not True:
        values = with_lanes(array_of_lanes(values, xp), count)
    return found.items, found.from_lanes(of_rank(values, found.reading), xp)


def of_rank(values, rank: int) -> Any:
    """Values whose lanes have a rank; of more axes, the first ones have length one and go."""
    extra = values.ndim - 1 - rank
    if extra <= 0:
        return behind_lanes(values, rank)
    return values.reshape((values.shape[0], *values.shape[1 + extra :]))


def kind_of_index(part) -> str:
    """The kind of numbers of an index, or of a part of it."""
    return str(getattr(getattr(part, "dtype", None), "kind", ""))


def sums_at(ufunc: np.ufunc, in_place) -> None:
    """Register the rule of ``ufunc.at(a, indices, b)``."""

    def at_batched(lanes: Lanes, a: Array, indices: object, b: object, *, xp) -> None:
        """Add or subtract in each lane, repeatedly where an index repeats."""
        if kind_of_index(indices) == "b" and lanes[1] is True:
            lane_by_lane(ufunc.at, lanes, (a, indices, b), {})
            return
        items, added = place_in_lanes(lanes, a, indices, b, xp)
        if not lanes[1] and hits_nothing_twice(indices):
            own: Any = a
            own[items] = in_place(own[items], added)
        elif lanes[1] or not added_flat(ufunc, a, indices, lanes[2], b):
            getattr(xp, ufunc.__name__).at(a, items, added)

    batched.register(ufunc.at)(at_batched)


sums_at(np.add, operator.add)
sums_at(np.subtract, operator.sub)


def added_flat(ufunc: np.ufunc, a, index, lane, b) -> bool:
    """Add to entries of the flat array, which NumPy does in a tight loop; say whether it was done."""
    if type(a) is not np.ndarray or not a.flags.c_contiguous:
        return False
    count, size = a.shape[0], math.prod(a.shape[1:])
    positions = np.arange(size).reshape(a.shape[1:])[index]
    all_positions = np.add.outer(np.arange(count) * size, positions)
    added = of_rank(b, positions.ndim) if lane else b
    values = np.broadcast_to(added, all_positions.shape)
    ufunc.at(a.reshape(-1), all_positions.reshape(-1), values.reshape(-1))
    return True


@batched.register(np.copyto, laned_options=("where",))
def copyto_batched(
    lanes: Lanes,
    a: Array,
    values: object,
    *,
    casting: str = "same_kind",
    where: Any = True,
    xp,
) -> None:
    """Copy where the mask holds."""
    rank = a.ndim - 1
    if "where" in lanes:
        where = of_rank(where, rank)
    xp.copyto(a, of_rank(values, rank) if lanes[1] else values, casting=casting, where=where)


def array_of_lanes(values, xp) -> Any:
    """Lists as an array; arrays as they are, as lanes of another batch may be in them."""
    return values if hasattr(values, "dtype") else xp.asarray(values)


def lane_by_lane(primal, lanes: Lanes, args: Args, options) -> None:
    """Write into one lane after the other, each a view of the first argument."""
    a, *others = args
    count = next(laned_values(lanes, args)).shape[0]
    for number in range(count):
        own = [
            changed_lanes(lane, value, operator.itemgetter(number))
            for lane, value in zip(lanes[1:], others, strict=False)
        ]
        primal(a[number, ...], *own, **options)


def rarely_called(primal) -> None:
    """Register the rule of a function that writes into one lane after the other."""

    @batched.register(primal)
    def lane_by_lane_batched(lanes: Lanes, *args: object, **options) -> None:
        lane_by_lane(primal, lanes, args, options)


for _primal in (np.put, np.putmask, np.place, np.put_along_axis, np.fill_diagonal):
    rarely_called(_primal)
