"""Writing entries of many examples at once.

What is written to always has lanes: it is one array for each example. An index that is the same in
all of them writes into all at once, and so do integers that differ. Other functions write lane by
lane, each into a view of its own.
"""

import math
import operator
from types import EllipsisType, NoneType
from typing import Any

import numpy as np

from chainrules_py import Array, batched
from chainrules_py.batching.lanes import Lanes, behind_lanes, changed, laned_values
from chainrules_py.rulesets.entries.scatter import hits_nothing_twice, is_basic

_ALL = slice(None)
_AXES = frozenset({slice, NoneType, EllipsisType})
_INTEGERS = ("i", "u")


# Where an index of one example writes in all of them


def lanes_last(index: Any) -> tuple[Any, ...]:
    """The index of an array whose last axis are the lanes, given that of one lane."""
    own = index if type(index) is tuple else (index,)
    ends = any(part is Ellipsis for part in own)
    return (*own, _ALL) if ends else (*own, ..., _ALL)


def values_last(values: Any, lane: bool, xp: Any) -> Any:
    """Values to be written to such an index; without lanes, they are the same in each."""
    if lane:
        return xp.moveaxis(values, 0, -1)
    return xp.expand_dims(values, -1) if np.ndim(values) else values


def of_rank(values: Any, rank: int) -> Any:
    """Values with lanes, of which each lane has a rank; assignments ignore leading ones beyond it."""
    extra = values.ndim - 1 - rank
    if extra <= 0:
        return behind_lanes(values, rank)
    return values.reshape((values.shape[0], *values.shape[1 + extra :]))


def place(a: Any, lanes: Lanes, index: Any, values: Any, xp: Any) -> tuple[Any, Any, Any] | None:
    """A view of all lanes, where to write in it, and what, for ``a[index] = values`` in each lane.

    None stands for an index that differs from lane to lane and consists not of integers alone.
    """
    _, index_lane, values_lane = lanes
    if index_lane:
        found = integers_in_lanes(index_lane, index, a, xp)
        if found is None:
            return None
        own, rank = found
    elif is_basic(index):
        own = (_ALL, *index) if type(index) is tuple else (_ALL, index)
        rank = a[own].ndim - 1
    else:
        last = values_last(values, values_lane is True, xp)
        return xp.moveaxis(a, 0, -1), lanes_last(index), last
    return a, own, of_rank(values, rank) if values_lane else values


def integers_in_lanes(lane: Any, index: Any, a: Any, xp: Any) -> tuple[tuple[Any, ...], int] | None:
    """The index of all lanes for integers that come first and may differ between these.

    The number of axes that it reads of one lane comes with it; None stands for other indices.
    """
    parts = index if type(index) is tuple else (index,)
    flags = lane if type(lane) is tuple else (lane,)
    count = next((k for k, part in enumerate(parts) if type(part) in _AXES), len(parts))
    chosen, rest = parts[:count], parts[count:]
    kinds = {
        np.asarray(part).dtype.kind if type(part) is list else kind_of(part) for part in chosen
    }
    if not kinds.issubset(_INTEGERS) or not _AXES.issuperset(map(type, rest)):
        return None
    rank = max(np.ndim(part) - (flag is True) for part, flag in zip(chosen, flags, strict=False))
    rows = np.arange(a.shape[0]).reshape((-1,) + (1,) * rank)
    own = [
        behind_lanes(part, rank) if flag else part
        for part, flag in zip(chosen, flags, strict=False)
    ]
    kept = a.ndim - 1 - count + sum(part is None for part in rest)
    return (rows, *own, *rest), rank + kept


def kind_of(part: Any) -> str:
    """The kind of numbers of a part of an index."""
    if isinstance(part, int) and not isinstance(part, bool):
        return "i"
    return str(getattr(getattr(part, "dtype", None), "kind", ""))


def is_mask_for_numbers(index: Any, lanes: Lanes, values: Any) -> bool:
    """Whether an index is a mask that differs between lanes, and a number is written in each."""
    return lanes[1] is True and kind_of(index) == "b" and np.ndim(values) == bool(lanes[2])


# Rules


@batched.register(operator.setitem)
def setitem_batched(lanes: Lanes, a: Array, index: object, values: object, *, xp: Any) -> None:
    """a[index] = values in each lane."""
    if is_mask_for_numbers(index, lanes, values):
        mask: Any = index
        mask = mask.reshape(mask.shape + (1,) * (a.ndim - mask.ndim))
        written = of_rank(values, a.ndim - 1) if lanes[2] else values
        xp.copyto(a, written, where=mask, casting="unsafe")
        return
    found = place(a, lanes, index, values, xp)
    if found is None:
        lane_by_lane(operator.setitem, lanes, (a, index, values), {})
        return
    target, own, written = found
    target[own] = written


def sums_at(ufunc: np.ufunc, in_place: Any) -> None:
    """Register the rule of ``ufunc.at(a, indices, b)``."""

    def at_batched(lanes: Lanes, a: Array, indices: object, b: object, *, xp: Any) -> None:
        """Add or subtract in each lane, repeatedly where an index repeats."""
        found = place(a, lanes, indices, b, xp)
        if found is None:
            lane_by_lane(ufunc.at, lanes, (a, indices, b), {})
            return
        target, own, added = found
        if not lanes[1] and hits_nothing_twice(indices):
            target[own] = in_place(target[own], added)
        elif lanes[1] or not added_flat(ufunc, a, indices, added):
            getattr(xp, ufunc.__name__).at(target, own, added)

    batched.register(ufunc.at)(at_batched)


sums_at(np.add, operator.add)
sums_at(np.subtract, operator.sub)


def added_flat(ufunc: np.ufunc, a: Any, index: Any, added: Any) -> bool:
    """Add to entries of the flat array, which NumPy does in a tight loop; say whether it was done.

    `added` has the lanes last.
    """
    if type(a) is not np.ndarray or not a.flags.c_contiguous:
        return False
    count, size = a.shape[0], math.prod(a.shape[1:])
    positions = np.arange(size).reshape(a.shape[1:])[index]
    all_positions = positions[..., None] + np.arange(count) * size
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
    xp: Any,
) -> None:
    """Copy where the mask holds."""
    rank = a.ndim - 1
    if "where" in lanes:
        where = of_rank(where, rank)
    xp.copyto(a, of_rank(values, rank) if lanes[1] else values, casting=casting, where=where)


def writes_by_lane(primal: Any) -> None:
    """Register the rule of a function that writes into its first argument, lane by lane."""

    def writing_batched(lanes: Lanes, a: Array, *others: object, **options: Any) -> None:
        lane_by_lane(primal, lanes, (a, *others), options)

    batched.register(primal)(writing_batched)


for _primal in (np.put, np.putmask, np.place, np.put_along_axis, np.fill_diagonal):
    writes_by_lane(_primal)


def lane_by_lane(primal: Any, lanes: Lanes, args: tuple[Any, ...], options: Any) -> None:
    """Write into one lane after the other, each a view of the first argument."""
    a, *others = args
    count = next(laned_values(lanes, args)).shape[0]
    for number in range(count):
        own = [
            changed(lane, value, lambda x, k=number: x[k])
            for lane, value in zip(lanes[1:], others, strict=False)
        ]
        primal(a[number, ...], *own, **options)
