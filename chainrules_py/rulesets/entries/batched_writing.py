"""Writing entries of many examples at once.

What is written to always has lanes: it is one array for each example. An assignment writes into all
of them at once. What has no such form is written lane by lane, into a view of each.
"""

import math
import operator
from typing import Any

import numpy as np

from chainrules_py import Array, batched
from chainrules_py.batching.along_axes import from_the_end
from chainrules_py.batching.failures import note_handled
from chainrules_py.batching.indices import index_in_lanes
from chainrules_py.batching.lanes import (
    Lanes,
    behind_lanes,
    changed,
    flat_lanes,
    laned_values,
    with_lanes,
)
from chainrules_py.batching.parts import as_laned, in_one
from chainrules_py.errors import BatchingError
from chainrules_py.rulesets.entries.indexing import within
from chainrules_py.rulesets.entries.scatter import hits_nothing_twice


@batched.register(operator.setitem)
def setitem_batched(lanes: Lanes, a: Array, index: object, values: object, *, xp) -> None:
    """a[index] = values in each lane."""
    if kind_of(index) == "b" and lanes[1] is True:
        written_where(lanes, a, index, values, xp)
        return
    items, written = place(lanes, a, index, values, xp)
    own: Any = a
    own[items] = written


def written_where(lanes: Lanes, a, mask, values, xp) -> None:
    """Write where a mask holds that differs from lane to lane, mostly a number."""
    if np.ndim(values) > bool(lanes[2]):
        try:
            items, written = place(lanes, a, mask, values, xp)
        except BatchingError as error:  # lanes may differ in how many entries they write
            note_handled(error)
            lane_by_lane(operator.setitem, lanes, (a, mask, values), {})
        else:
            a[items] = written
        return
    mask = mask.reshape(mask.shape + (1,) * (a.ndim - mask.ndim))
    written = behind_lanes(values, a.ndim - 1) if lanes[2] else values
    xp.copyto(a, written, where=mask, casting="unsafe")


def place(lanes: Lanes, a, index, values, xp) -> tuple[Any, Any]:
    """Where in the array of all lanes, and what, ``a[index] = values`` writes in each of them."""
    count, shape = a.shape[0], a.shape[1:]
    found = index_in_lanes(True, shape, lanes[1], index, count, xp)
    if not np.ndim(values):
        return found.items, values
    if lanes[2] is not True:
        values = with_lanes(as_array(values, xp), count)
    return found.items, found.from_lanes(of_rank(values, found.reading), xp)


def of_rank(values, rank: int) -> Any:
    """Values whose lanes have a rank; of more axes, the first ones have length one and go."""
    extra = values.ndim - 1 - rank
    if extra <= 0:
        return behind_lanes(values, rank)
    return values.reshape((values.shape[0], *values.shape[1 + extra :]))


def kind_of(part) -> str:
    """The kind of numbers of an index, or of a part of it."""
    return str(getattr(getattr(part, "dtype", None), "kind", ""))


def sums_at(ufunc: np.ufunc, in_place) -> None:
    """Register the rule of ``ufunc.at(a, indices, b)``."""

    def at_batched(lanes: Lanes, a: Array, indices: object, b: object, *, xp) -> None:
        """Add or subtract in each lane, repeatedly where an index repeats."""
        if kind_of(indices) == "b" and lanes[1] is True:
            lane_by_lane(ufunc.at, lanes, (a, indices, b), {})
            return
        items, added = place(lanes, a, indices, b, xp)
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


# --- Functions that write into the flat array, and repeat values that are too few ---


def flat_values(lane, values, xp) -> Any:
    """Values as a vector, in each lane if they have some."""
    if lane:
        values = in_one(lane, values)
        return flat_lanes(values)
    return xp.reshape(as_array(values, xp), (-1,))


def as_array(values, xp) -> Any:
    """Lists as an array; arrays as they are, as lanes of another batch may be in them."""
    return values if hasattr(values, "dtype") else xp.asarray(values)


def repeated(values, numbers, xp) -> Any:
    """Values, along the last axis, at these numbers, from the first on again behind the last.

    Numbers may differ from lane to lane; the values then have lanes, too.
    """
    numbers = numbers % values.shape[-1]
    if numbers.ndim == 1:
        return values[..., numbers]
    return xp.take_along_axis(values, numbers, axis=1)


def written_flat(lanes: Lanes, a, positions, values, xp) -> None:
    """Write values at positions of the flat array, one behind the other."""
    vector = flat_values(lanes[2], values, xp)
    written = repeated(vector, np.arange(positions.shape[-1]), xp)
    index = tuple(xp.unravel_index(positions, a.shape[1:]))
    own = tuple([True] * len(index)) if lanes[1] else False
    setitem_batched((True, own, bool(lanes[2])), a, index, written, xp=xp)


@batched.register(np.put)
def put_batched(lanes: Lanes, a: Array, ind: object, v: object, *, mode: str = "raise", xp) -> None:
    """Write at positions of the flat array."""
    if a.ndim == 1 or not np.size(v):  # type: ignore[arg-type]
        lane_by_lane(np.put, lanes, (a, ind, v), {"mode": mode})
        return
    size = math.prod(a.shape[1:])
    positions = within(flat_values(lanes[1], ind, np), size, mode)
    if mode == "raise" and ((positions < -size) | (positions >= size)).any():
        raise IndexError(f"index out of bounds for an array of {size} entries")
    written_flat(lanes, a, positions % max(size, 1), v, xp)


@batched.register(np.putmask)
def putmask_batched(lanes: Lanes, a: Array, mask: object, values: object, *, xp) -> None:
    """Write where a mask holds, each entry the value of its own number."""
    written_where_flat(np.putmask, lanes, a, mask, values, xp)


@batched.register(np.place)
def place_batched(lanes: Lanes, arr: Array, mask: object, vals: object, *, xp) -> None:
    """Write where a mask holds, one value after the other."""
    written_where_flat(np.place, lanes, arr, mask, vals, xp)


def written_where_flat(primal, lanes: Lanes, a, mask, values, xp) -> None:
    """Write where a mask holds; `place` counts the entries that it writes, `putmask` all of them."""
    count = a.shape[0]
    if not np.size(values):
        lane_by_lane(primal, lanes, (a, mask, values), {})
        return
    holds = (mask if lanes[1] is True else with_lanes(as_array(mask, np), count)) != 0
    holds = flat_lanes(holds)
    vector = flat_values(lanes[2], values, xp)
    if primal is np.place:
        vector = as_laned(lanes[2], vector, count)
        written = repeated(vector, np.maximum(np.cumsum(holds, axis=1) - 1, 0), xp)
    else:
        written = repeated(vector, np.arange(holds.shape[1]), xp)
    shape = a.shape if written.ndim > 1 else a.shape[1:]
    xp.copyto(a, written.reshape(shape), where=holds.reshape(a.shape), casting="unsafe")


@batched.register(np.put_along_axis)
def put_along_axis_batched(
    lanes: Lanes, arr: Array, indices: object, values: object, *, axis: int | None = -1, xp
) -> None:
    """Write along an axis of each lane, counted from the end."""
    own: Any = arr
    count, rank = own.shape[0], own.ndim - 1
    if axis is None:
        written_flat(lanes, arr, indices, values, xp)
        return
    places: Any = as_laned(lanes[1], indices, count)
    written = of_rank(values, rank) if lanes[2] else values
    xp.put_along_axis(own, places, written, axis=from_the_end(axis, rank))


@batched.register(np.fill_diagonal)
def fill_diagonal_batched(lanes: Lanes, a: Array, val: object, *, wrap: bool = False, xp) -> None:
    """Write into the flat array, at the positions of the diagonal."""
    mask = np.zeros(a.shape[1:], bool)
    np.fill_diagonal(mask, True, wrap=wrap)
    written_flat((True, False, lanes[1]), a, np.flatnonzero(mask), val, xp)


def lane_by_lane(primal, lanes: Lanes, args: tuple[Any, ...], options) -> None:
    """Write into one lane after the other, each a view of the first argument."""
    a, *others = args
    count = next(laned_values(lanes, args)).shape[0]
    for number in range(count):
        own = [
            changed(lane, value, operator.itemgetter(number))
            for lane, value in zip(lanes[1:], others, strict=False)
        ]
        primal(a[number, ...], *own, **options)
