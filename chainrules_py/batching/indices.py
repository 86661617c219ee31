"""Reading and writing at an index where it, the array, or both have lanes.

NumPy puts the axes of arrays in an index in the place of the first of them, and before all others
where something stands between the arrays. With lanes in front of the array an index begins with a
slice, or with the number of each lane, and the axes may have to be moved back:

    lanes of       index with lanes             axes of the arrays that are chosen by
    the array      (:, *index)                  where they are in one lane, or first if they are apart
    the index      index                        the same, and the lanes are the first of these axes
    both           (numbers of lanes, *index)   first if anything is before them, with the lanes
"""

from math import prod
from types import EllipsisType, NoneType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from chainrules_py.batching.lanes import (
    Lanes,
    behind_lanes,
    laned_values,
    lanes_outermost,
    with_lanes,
)
from chainrules_py.batching.parts import in_one
from chainrules_py.errors import BatchingError
from chainrules_py.values.arrays import common_namespace, library_of_types, shape_of
from chainrules_py.values.indices import normal_item, read

_ALL = slice(None)
_BASIC = frozenset({int, slice, EllipsisType, NoneType})


class Index(NamedTuple):
    """An index with lanes, and where the axes of what it chooses are.

    In what is read, `rank` axes come of the arrays in the index. With the lanes along its axis
    `lanes`, as NumPy puts them, these begin at the axis `chosen`; with the lanes in front, and the
    others where they are in one lane, at the axis `wanted`. In one lane, what is read has `reading`
    axes.
    """

    items: tuple[Any, ...]
    rank: int
    reading: int
    lanes: int = 0
    chosen: int = 0
    wanted: int = 0

    def to_lanes(self, y, xp) -> Any:
        """Put the lanes of what was read in front, and the chosen axes where they are in a lane."""
        if self.lanes:
            return xp.moveaxis(y, self.lanes, 0)
        if self.chosen == self.wanted or not self.rank:
            return y
        source, destination = self._chosen_axes()
        return xp.moveaxis(y, source, destination)

    def from_lanes(self, values, xp) -> Any:
        """Put the axes of values with lanes where the index has them."""
        if self.lanes:
            return xp.moveaxis(values, 0, self.lanes)
        if self.chosen == self.wanted or not self.rank:
            return values
        source, destination = self._chosen_axes()
        return xp.moveaxis(values, destination, source)

    def _chosen_axes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return (
            tuple(range(self.chosen, self.chosen + self.rank)),
            tuple(range(self.wanted, self.wanted + self.rank)),
        )


def is_basic_index(index) -> bool:
    """Whether an index consists of Python's integers and slices, None and Ellipsis."""
    own = index if type(index) is tuple else (index,)
    return _BASIC.issuperset(map(type, own))


def index_in_lanes(laned: bool, shape: tuple[int, ...], lane, index, count: int, xp) -> Index:
    """The index with lanes, of an array whose lanes, if it has some, have this shape.

    `laned` says whether the array has lanes, `lane` which parts of the index have some.
    """
    items, own = [index], [lane]
    if type(index) is tuple:
        items = list(index)
        own = list(lane) if lane else [False] * len(items)
    items, own = with_arrays_for_lists(items, own)
    if any(own):
        items, own = with_positions_for_masks(items, own)

    arrays = [place for place, item in enumerate(items) if is_chosen_by(item)]
    if not arrays:
        return Index((_ALL, *items), rank=0, reading=rank_of_reading(items, len(shape), 0))

    places = [
        place for place, item in enumerate(items) if is_chosen_by(item) or is_one_position(item)
    ]
    rank = rank_of_choice(items, own, places)
    apart = places[-1] - places[0] >= len(places)  # something stands between the arrays
    before = 0 if apart else axes_before(items, places[0], len(shape))
    reading = rank_of_reading(items, len(shape), rank)

    if not any(own):
        return Index((_ALL, *items), rank, reading, lanes=rank if apart else 0)

    aligned = [
        behind_lanes(item, rank) if lane is True else item
        for lane, item in zip(own, items, strict=True)
    ]
    if not laned:
        return Index(tuple(aligned), rank, reading, lanes=before)
    numbers = xp.reshape(xp.arange(count), (count,) + (1,) * rank)
    return Index((numbers, *aligned), rank, reading, chosen=1, wanted=1 + before)


def with_arrays_for_lists(items: list[Any], lanes: list[Any]) -> tuple[list[Any], list[Any]]:
    """An index in the form of all, and with arrays for lists with lanes in some parts."""
    made = []
    for lane, item in zip(lanes, items, strict=True):
        if isinstance(item, list | tuple) and lane:
            made.append(in_one(lane, item))
        else:
            made.append(normal_item(item))
    return made, [bool(lane) for lane in lanes]


def is_chosen_by(item) -> bool:
    """Whether an item of an index is an array; True and False are masks without axes."""
    if isinstance(item, bool):
        return True
    return not isinstance(item, int | slice | NoneType | EllipsisType | np.integer)


def is_one_position(item) -> bool:
    """Whether an item of an index is one number: beside arrays, it counts as one of them."""
    return isinstance(item, int | np.integer) and not isinstance(item, bool)


def is_mask_item(item) -> bool:
    """Whether an item of an index says of entries whether they are read."""
    return isinstance(item, bool) or getattr(getattr(item, "dtype", None), "kind", "") == "b"


def with_positions_for_masks(items: list[Any], lanes: list[Any]) -> tuple[list[Any], list[Any]]:
    """An index with positions for each mask that has lanes."""
    made: list[Any] = []
    own: list[Any] = []
    for lane, item in zip(lanes, items, strict=True):
        found = positions_in_lanes(item) if lane and is_mask_item(item) else (item,)
        made.extend(found)
        own.extend([lane] * len(found))
    return made, own


def positions_in_lanes(mask) -> tuple[Any, ...]:
    """Where a mask holds in each lane: positions along each axis, with lanes.

    It has to choose as many entries in each lane.
    """
    library = library_of_types((type(mask),))
    count, *shape = mask.shape
    if not shape or not library.mutable:  # the values of others may not be known
        raise_not_as_many()
    if not count:
        return tuple([np.zeros((0, prod(shape)), int) for _ in shape])
    numbers = mask.sum(axis=tuple(range(1, mask.ndim)))
    chosen = int(numbers[0])
    if not (numbers == chosen).all():
        raise_not_as_many()
    return tuple([place.reshape((count, chosen)) for place in mask.nonzero()[1:]])


def raise_not_as_many() -> NoReturn:
    """Raise for a mask that chooses another number of entries in each lane."""
    got = "x[mask] with a mask that chooses other numbers of entries in other lanes"
    instead = "write numpy.where(mask, x, other), whose shape is that of x"
    raise BatchingError("vmap", got, instead)


def rank_of_choice(items: list[Any], lanes: list[Any], places: list[int]) -> int:
    """The number of axes that the arrays of an index broadcast to, without lanes."""
    ranks = [0]
    for place in places:
        item = items[place]
        ranks.append(1 if is_mask_item(item) else len(shape_of(item)) - bool(lanes[place]))
    return max(ranks)


def axes_before(items: list[Any], place: int, rank: int) -> int:
    """The number of axes that the items before a place give to the result.

    `rank` is that of the array that is read.
    """
    count = 0
    for item in items[:place]:
        if item is Ellipsis:
            count += rank - sum(map(axes_read, items))
        elif item is None or isinstance(item, slice):
            count += 1
    return count


def axes_read(item) -> int:
    """The number of axes of an array that an item of its index reads."""
    if item is None or item is Ellipsis:
        return 0
    return len(shape_of(item)) if is_mask_item(item) else 1


def rank_of_reading(items: list[Any], rank: int, chosen: int) -> int:
    """The number of axes of what an index reads of an array of this rank."""
    kept = rank - sum(map(axes_read, items))
    added = sum(item is None or isinstance(item, slice) for item in items)
    return chosen + kept + added


def is_list_of_rows(a, index) -> bool:
    """Whether an index without lanes takes entries along the first axis of NumPy's arrays.

    By `take` that is done in a fifth of the time, and with the lanes outermost in memory.
    """
    if type(a) is not np.ndarray or type(index) is not np.ndarray or not a.flags.c_contiguous:
        return False
    return index.ndim == 1 and index.dtype.kind == "i"


def read_in_lanes(lanes: Lanes, a, index) -> Any:
    """``a[index]`` where the array, the index or both have lanes; the result has lanes first."""
    if lanes[1] is False and is_basic_index(index):
        return a[(_ALL, *index) if type(index) is tuple else (_ALL, index)]
    if lanes == (True, False) and is_list_of_rows(a, index):
        return a.take(index, axis=1)
    laned = lanes[0] is True
    arrays = list(laned_values(lanes, (a, index)))
    xp = common_namespace(arrays)
    found = index_in_lanes(laned, shape_of(a)[laned:], lanes[1], index, arrays[0].shape[0], xp)
    return lanes_outermost(found.to_lanes(read(a, found.items), xp))


def written_in_lanes(
    lanes: Lanes, count: int, shape: tuple[int, ...], index, values
) -> tuple[Any, Any]:
    """The index and the values with which an array with so many lanes of this shape is written.

    `lanes` says of the index and of the values whether they have some.
    """
    arrays = [*laned_values(lanes, (index, values)), values]
    xp = common_namespace(arrays)
    found = index_in_lanes(True, shape, lanes[0], index, count, xp)
    if not shape_of(values):
        return found.items, values
    values = values if lanes[1] is True else with_lanes(values, count)
    surplus = values.ndim - 1 - found.reading  # leading axes of length one, which NumPy lets be
    if surplus > 0:
        values = values.reshape((count, *values.shape[1 + surplus :]))
    return found.items, found.from_lanes(behind_lanes(values, found.reading), xp)
