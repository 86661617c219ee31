"""The memory of arrays that are written to under `vmap`: all lanes in one block, lanes first.

A storage describes one lane. Its root, its views and their regions have the shape of one example,
and decide what shares memory with what. The numbers of all lanes lie in another block of memory,
which has the lanes in front of the axes of the root: a region is in each lane at the same place.
"""

from typing import Any

import numpy as np

from chainrules_tape.in_place.regions import Region
from chainrules_tape.refusals.handles import TracedArray


def lane_sizes(x) -> tuple[int, ...]:
    """The numbers of lanes that a value has at all of its levels, those of the outermost first."""
    sizes: tuple[int, ...] = ()
    while issubclass(type(x), TracedArray):
        level = x.level
        if level is not None and level.mode == "batching":
            sizes = (level.size, *sizes)
        x = x.value
    return sizes


def plain_lane(x) -> Any:
    """A plain array with the shape and the strides of one lane of a value; without lanes, the value.

    Its entries are those of an arbitrary lane, so callers may use its layout alone.
    """
    count = 0
    is_number = issubclass(type(x), TracedArray) and x.is_number
    while issubclass(type(x), TracedArray):
        if x.is_stored:
            x = x.plain_view
            break
        count += x.in_lanes
        x = x.value
    if not count:
        return x
    if 0 in x.shape[:count]:
        x, count = np.zeros(x.shape[count:], x.dtype), 0
    lane = (0,) * count
    return x[lane] if is_number else x[(*lane, ...)]


def in_all_lanes(region: Region | None, root: np.ndarray, size: int) -> Region | None:
    """Extend a region of one lane's memory: the same part of the memory of every lane."""
    if region is None:
        return None
    shape, dtype, offset, strides = region
    return Region((size, *shape), dtype, offset, (root.nbytes, *strides))
