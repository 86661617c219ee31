"""Lists of arrays, some of which have lanes: for functions that join what they are given."""

from typing import Any

from chainrules_py.batching.lanes import behind_lanes, laned_values, with_lanes
from chainrules_py.values.arrays import common_namespace, shape_of
from chainrules_py.values.structure import fields, is_container


def parts_in_lanes(lane, arrays) -> list[Any]:
    """The parts of a list, or the entries of an array in its place, all of them with lanes."""
    if lane is True:
        return [arrays[:, number] for number in range(arrays.shape[1])]
    count = next(laned_values((lane,), (arrays,))).shape[0]
    values = list(fields(arrays).values()) if is_container(arrays) else list(arrays)
    return [as_laned(own, part, count) for own, part in zip(lane or (), values, strict=True)]


def as_laned(lane, x, count: int) -> Any:
    """An array with lanes: what is the same in all of them is repeated, and a list is an array."""
    if lane:
        return in_one(lane, x)
    if is_container(x):
        x = common_namespace(fields(x).values()).asarray(x)
    return with_lanes(x, count)


def in_one(lane, value) -> Any:
    """An array with lanes; of a list with lanes in some parts, these stacked."""
    return value if lane is True else stacked_behind_lanes(parts_in_lanes(lane, value))


def stacked_behind_lanes(parts: list[Any]) -> Any:
    """The parts as one array, stacked along the first axis of each lane."""
    rank = max(len(shape_of(part)) for part in parts) - 1
    xp = common_namespace(parts)
    return xp.stack([behind_lanes(part, rank) for part in parts], axis=1)
