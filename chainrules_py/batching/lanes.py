"""Lanes: which values have an axis of examples in front, and how these are taken apart."""

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any, NoReturn

import numpy as np

from chainrules_py.errors import BatchingError
from chainrules_py.values.arrays import library_of, library_of_types
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container, mapped, rebuild

# True, False, a tuple of these for the parts of a container; names of options come last
Lanes = tuple[Any, ...]


class Same:
    """A result, or a part of one, that is the same in all lanes and has no axis for them."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Same({self.value!r})"


def laned_values(lanes: Lanes, args: Sequence[Any]) -> Iterator[Any]:
    """List the arrays with lanes among arguments and parts of them."""
    for lane, arg in zip(lanes, args, strict=False):
        if lane is True:
            yield arg
        elif lane:
            yield from laned_values(lane, list(fields(arg).values()))


def changed_lanes(lane, value, change: Callable[[Any], Any]) -> Any:
    """A value with its arrays that have lanes changed."""
    if lane is True:
        return change(value)
    if not lane:
        return value
    parts = zip(lane, fields(value).items(), strict=True)
    return rebuild(value, {key: changed_lanes(own, part, change) for own, (key, part) in parts})


def one_lane(lanes: Lanes, args: Sequence[Any], number: int) -> tuple[Any, ...]:
    """The arguments of one lane, by its number."""
    pairs = zip(lanes, args, strict=False)
    return tuple([changed_lanes(lane, arg, lambda x: x[number]) for lane, arg in pairs])


def lane_count(where: str, lanes: Lanes, args: Sequence[Any]) -> int:
    """The number of lanes of a call, which is the same in all arrays that have some."""
    if len(lanes) != len(args):
        got = f"lanes={lanes!r} for {len(args)} arguments"
        raise BatchingError(where, got, "say True or False for each positional argument")
    shapes = [np.shape(x) for x in laned_values(lanes, args)]
    counts = {shape[0] if shape else None for shape in shapes}
    if len(counts) != 1 or None in counts:
        got = f"arrays with lanes of shapes {', '.join(map(str, shapes)) or 'none'}"
        instead = "pass arrays whose first axis has one entry for each lane, at least one of them"
        raise BatchingError(where, got, instead)
    return shapes[0][0]


def stand_in(x) -> Any:
    """Ones with the shape and dtype of one lane of an array, for calls that ask for no more.

    They take no memory, and are where the array is. A number stands for a lane without axes. More
    functions take ones than zeros.
    """
    shape = x.shape[1:]
    library = library_of(type(x))
    if type(x) is np.ndarray or library is None or not library.asked_by_numpy:
        one = np.ones((), x.dtype)
        return np.broadcast_to(one, shape) if shape else one[()]
    one = np.ones_like(x, shape=(1,))  # CuPy takes () for no shape at all
    return np.broadcast_to(one, shape) if shape else one.reshape(())[()]


def first_or_stand_in(x):
    """Something with the shape and dtype of one lane, for functions that ask for nothing else.

    Of NumPy's arrays it is the first lane, a view, which takes a tenth of the time of ones.
    """
    if type(x) is np.ndarray and x.shape[0] and x.dtype.kind != "O":
        return x[0]
    return stand_in(x)


def in_order_of_one(x):
    """An array that has the shape, the dtype and the order in memory of one lane of another."""
    return x[0] if x.shape[0] else stand_in(x)


def noted_stand_in(stood_for: dict[int, tuple[Any, Any]], x):
    """An array in the place of one lane of another, by whose identity that is found again."""
    made = np.broadcast_to(np.zeros((), x.dtype), x.shape[1:])
    stood_for[id(made)] = made, x
    return made


def in_place_of_handles(stood_for: dict[int, tuple[Any, Any]], value) -> tuple[Any, Any]:
    """Put the arrays with lanes in the place of what stands for them; and say where they are."""
    if id(value) in stood_for:
        return True, stood_for[id(value)][1]
    if not is_container(value):
        return False, value
    parts = fields(value)
    found = {key: in_place_of_handles(stood_for, part) for key, part in parts.items()}
    if not any(lane for lane, _ in found.values()):
        return False, value
    lanes = tuple([lane for lane, _ in found.values()])
    return lanes, rebuild(value, {key: own for key, (_, own) in found.items()})


def has_entries(x) -> bool:
    """Whether something is an array or a number, which can have lanes."""
    return isinstance(x, bool | int | float | complex) or library_of(type(x)) is not None


def has_known_numbers(x) -> bool:
    """Whether the numbers in an array are known, so that a rule may decide something by them.

    Those of traced arrays are not, nor those of compilers; their libraries are not mutable.
    """
    return bool(library_of_types((type(x),)).mutable)


def lane_size(x) -> int:
    """The number of entries of one lane."""
    return prod(x.shape[1:])


def flat_lanes(x) -> Any:
    """An array with lanes as one in which each lane is a vector."""
    return x.reshape((x.shape[0], lane_size(x)))


def with_lanes(x, count: int) -> Any:
    """A value that is the same in all lanes, with an axis for them, in containers too."""
    if is_container(x):
        return mapped(lambda part: with_lanes(part, count), x)
    if not has_entries(x):
        return x
    xp = library_of_types((type(x),)).namespace
    return xp.broadcast_to(x, (count, *np.shape(x)))


def all_in_lanes(primal, y, count: int) -> Any:
    """The result of a rule with lanes everywhere: what is the same in all of them is repeated."""
    if type(y) is Same:
        return with_lanes(y.value, count)
    if is_container(y):
        return mapped(lambda part: all_in_lanes(primal, part, count), y)
    if not getattr(y, "ndim", 0) or y.shape[0] != count:
        refuse_result(primal, y, count)
    return y


def refuse_result(primal, y, count: int) -> NoReturn:
    """Raise for the result of a rule that has not as many lanes as its arguments."""
    where = f"batched({qualified_name(primal)})"
    kind = f"of shape {y.shape}" if hasattr(y, "shape") else f"of class {type(y).__name__}"
    got = f"a result {kind} for {count} lanes"
    raise BatchingError(where, got, "return an array with lanes first, or Same(y)")


def lanes_outermost(x) -> Any:
    """An array with its lanes outermost in memory, and each lane in the order that it has: a copy,
    where lanes lie between the entries of others, or on one another.

    What is a view of one example is then one of all lanes, and orders are those of one example.
    """
    if x.ndim < 2 or not hasattr(x, "strides"):  # there are libraries that say nothing of memory
        return x
    strides = x.strides
    if x.shape[0] < 2 or strides[0] >= max(map(abs, strides)) > 0:
        return x
    steps = [abs(step) for n, step in zip(x.shape, strides, strict=True) if n > 1]
    return x if steps[0] >= max(steps) > 0 else copied_lanes(x)


def copied_lanes(x, count: int = 1) -> Any:
    """A copy with its lanes, the first axes, outermost in memory, and each in the order it has."""
    xp = library_of_types((type(x),)).namespace
    own = sorted(range(count, x.ndim), key=lambda axis: -abs(x.strides[axis]))
    axes = (*range(count), *own)
    made = xp.array(xp.transpose(x, axes), order="C", copy=True)
    return xp.transpose(made, tuple([axes.index(axis) for axis in range(x.ndim)]))


def behind_lanes(x, rank: int) -> Any:
    """An array with lanes, with axes of length one behind these, so that each lane has `rank`."""
    missing = rank + 1 - x.ndim
    if missing <= 0:
        return x
    return x.reshape((x.shape[0],) + (1,) * missing + x.shape[1:])
