"""Reading and writing entries of many examples at once."""

import operator
from typing import Any

import numpy as np

from chainrules_py import Array, Scalar, axes_rule, batched
from chainrules_py.batching.along_axes import Moves, from_the_end
from chainrules_py.batching.indices import read_in_lanes, written_in_lanes
from chainrules_py.batching.lanes import Lanes, flat_lanes, lane_size, laned_values, with_lanes
from chainrules_py.rulesets.entries.indexing import as_index, within
from chainrules_py.rulesets.entries.replacing import replaced
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.formulas.runs import index_along
from chainrules_py.values.indices import read

axes_rule(
    *(np.sort, np.argsort, np.partition, np.argpartition),
    kind="mixes",
    default=-1,
    flat=True,
)


@batched.register(operator.getitem, axes=Moves())
def getitem_batched(lanes: Lanes, a: object, index: object):
    """Read an index behind the lanes, or one of each lane."""
    return read_in_lanes(lanes, a, index)


batched.opt_out(operator.getitem, tuple | list | dict, object)  # containers are read lane by lane


@batched.register(np.take, axes=Moves(flat=True), laned_options=["indices"])
def take_batched(
    lanes: Lanes, a: Array, *, indices, axis: int | None = None, mode: str = "raise", xp
):
    """Take behind the lanes, or read an index of each lane."""
    laned = lanes[0] is True
    if axis is None:
        a = a.reshape((a.shape[0], lane_size(a)) if laned else (-1,))
        axis = 0
    axis = from_the_end(axis, a.ndim - laned)
    if "indices" not in lanes:
        if hasattr(type(indices), "__chainrules_call__"):  # with lanes of another batch
            index = within(as_index(indices), a.shape[axis], mode)
            return read(a, index_along(a.ndim + axis, index))
        # JAX has no name for NumPy's default
        given = {} if mode == "raise" else {"mode": mode}
        return xp.take(a, indices, axis=axis, **given)
    index = within(as_index(indices), a.shape[axis], mode)
    place = a.ndim - laned + axis
    return read_in_lanes((laned, (False,) * place + (True,)), a, index_along(place, index))


@batched.register(np.take_along_axis, axes=Moves(default=-1, flat=True), laned_options=["indices"])
def take_along_axis_batched(lanes: Lanes, arr: Array, *, indices, axis: int | None = -1, xp):
    """Take along the axis of each lane, counted from the end."""
    count = (arr if lanes[0] is True else indices).shape[0]
    arr = arr if lanes[0] is True else with_lanes(arr, count)
    indices = indices if "indices" in lanes else with_lanes(indices, count)
    if axis is None:
        arr, axis = flat_lanes(arr), -1
    axis = from_the_end(axis, arr.ndim - 1)
    return xp.take_along_axis(arr, indices, axis=axis)


@batched.register(scatter_add, laned_options=["index"])
def scatter_add_batched(lanes: Lanes, values: object, *, index, shape: tuple[int, ...], dtype):
    """Write behind the lanes, or at an index of each lane."""
    own = lane_of("index", lanes), lanes[0]
    count = next(laned_values(own, (index, values))).shape[0]
    items, given = written_in_lanes(own, count, shape, index, values)
    return scatter_add(given, items, (count, *shape), dtype)


@batched.register(replaced)
def replaced_batched(lanes: Lanes, a: Array, index, values: Array | Scalar):
    """Write behind the lanes, or at an index of each lane."""
    count = next(laned_values(lanes, (a, index, values))).shape[0]
    target = a if lanes[0] is True else with_lanes(a, count)
    items, given = written_in_lanes(lanes[1:], count, target.shape[1:], index, values)
    return replaced(target, items, given)


def lane_of(name: str, lanes: Lanes) -> Any:
    """Whether an option has lanes; of a container, which of its parts have."""
    own: list[Any] = [lane if type(lane) is tuple else (lane, True) for lane in lanes[1:]]
    return dict(own).get(name, False)
