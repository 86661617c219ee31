"""`pad`, in every mode.

As NumPy does, one axis is padded after the other, each time the whole of what the axis before it
made.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from chainrules_py import Array, OptionError, composed
from chainrules_py.rulesets.formulas.runs import index_along

ABSENT = object()
MOST_RUNS = 8  # a padding wider than a few times the line is read by an index


class Side(NamedTuple):
    """One axis of `length` entries that grows by `before` and `after`."""

    axis: int
    length: int
    before: int
    after: int

    def part(self, x, start: int | None, stop: int | None) -> Any:
        """A slice on this axis."""
        return x[index_along(self.axis, slice(start, stop))]


def sides(shape: tuple[int, ...], pad_width) -> Iterator[Side]:
    """The axes that grow, in every form that NumPy takes `pad_width` in."""
    if isinstance(pad_width, dict):
        widths: Any = [(0, 0)] * len(shape)
        for axis, width in pad_width.items():
            widths[axis] = pairs(width, 1)[0]
    else:
        widths = pairs(pad_width, len(shape))
    for axis, (length, width) in enumerate(zip(shape, widths, strict=True)):
        if any(width):
            yield Side(axis, length, *width)


def pairs(given, rank: int) -> list[Any]:
    """What is given for both sides of each axis, as NumPy broadcasts it."""
    if not isinstance(given, list | tuple | np.ndarray):
        return [(given, given)] * rank
    found: list[Any] = np.broadcast_to(np.asarray(given, dtype=object), (rank, 2)).tolist()
    return found


@composed(np.pad)
def pad(
    array: Array,
    *,
    pad_width,
    mode: Any = "constant",
    constant_values: Any = ABSENT,
    end_values: Any = ABSENT,
    stat_length: Any = None,
    reflect_type: str | None = None,
    xp,
):
    """An array that grows along its axes."""
    if callable(mode):
        raise OptionError(
            "the rules of numpy.pad",
            f"mode={mode!r} fills the padding in place, by code of its own",
            "pad with mode='constant' and compute the padding with array functions",
            primal=np.pad,
            option="mode",
            value=mode,
        )
    given = {"constant_values": constant_values, "end_values": end_values}
    given = {name: value for name, value in given.items() if value is not ABSENT}
    given |= {"stat_length": stat_length} if stat_length is not None else {}
    given |= {"reflect_type": reflect_type} if reflect_type is not None else {}
    if given or 0 in array.shape:
        np.pad(np.zeros([min(length, 1) for length in array.shape]), pad_width, mode, **given)

    grown = between_ends if mode in ENDS else along_line
    for side in sides(array.shape, pad_width):
        array = grown(array, side, mode, given, xp)
    return array


# --- By an end for each side ---


def between_ends(x, side: Side, mode: str, given: dict[str, Any], xp) -> Any:
    """One axis between two paddings, of which each is made of an option and the entries there."""
    is_statistic = mode in STATISTICS
    own = given.get("stat_length") if is_statistic else next(iter(given.values()), 0)
    widths, options = (side.before, side.after), pairs(own, x.ndim)[side.axis]
    ends = [
        ENDS[mode](x, side, width, option, is_last, xp) if width else None
        for is_last, (width, option) in enumerate(zip(widths, options, strict=True))
    ]
    parts = [part for part in (ends[0], x, ends[1]) if part is not None]
    return xp.concatenate(parts, axis=side.axis)


def constant(x, side: Side, width: int, value, is_last: int, xp) -> Any:
    """A number, many times."""
    shape = (*x.shape[: side.axis], width, *x.shape[side.axis + 1 :])
    return xp.full(shape, value, dtype=x.dtype)


def ramp(x, side: Side, width: int, value, is_last: int, xp) -> Any:
    """Numbers between an end and the last entry."""
    edge = x[index_along(side.axis, -1 if is_last else 0)]
    options = {"num": width, "endpoint": False, "dtype": x.dtype, "axis": side.axis}
    found = xp.linspace(value, edge, **options)
    return xp.flip(found, axis=side.axis) if is_last else found


def statistic(x, side: Side, width: int, length: int | None, is_last: int, xp, *, name: str) -> Any:
    """A statistic of the entries near the end, many times."""
    count = side.length if length is None else min(length, side.length)
    near = side.part(x, side.length - count, None) if is_last else side.part(x, 0, count)
    found = getattr(xp, name)(near, axis=side.axis, keepdims=True)
    if x.dtype.kind in "iu":
        found = xp.rint(found)
    return xp.repeat(found.astype(x.dtype), width, axis=side.axis)


STATISTICS = {"mean": "mean", "median": "median", "maximum": "max", "minimum": "min"}
ENDS: dict[str, Callable[..., Any]] = {
    "constant": constant,
    "empty": constant,
    "linear_ramp": ramp,
    **{mode: partial(statistic, name=name) for mode, name in STATISTICS.items()},
}


# --- By entries of the line ---


class Run(NamedTuple):
    """`length` neighbours of a padded line: x[low:high], which is turned round if `step` is -1, and
    one entry many times if it is 0.
    """

    step: int
    low: int
    high: int
    length: int

    def read(self, x, side: Side, xp) -> Any:
        """The entries of this run."""
        found = side.part(x, self.low, self.high)
        if self.step == 0:
            return xp.repeat(found, self.length, axis=side.axis)
        return found if self.step == 1 else xp.flip(found, axis=side.axis)


def along_line(x, side: Side, mode: str, given: dict[str, Any], xp) -> Any:
    """One axis, padded by its own entries: read off NumPy's answer for their numbers."""
    sources, runs = lines(side, mode)
    if runs is None:
        y = x[index_along(side.axis, sources)]
    else:
        y = xp.concatenate([run.read(x, side, xp) for run in runs], axis=side.axis)
    if given.get("reflect_type") != "odd":
        return y
    column = (-1,) + (1,) * (x.ndim - side.axis - 1)
    sign, first, last = (
        xp.asarray(numbers.reshape(column).astype(x.dtype)) for numbers in odd_weights(side, mode)
    )
    return sign * y + first * side.part(x, 0, 1) + last * side.part(x, -1, None)


@lru_cache(maxsize=1024)
def lines(side: Side, mode: str) -> tuple[Any, tuple[Run, ...] | None]:
    """Which entry of the line each of the padded line is, and the runs of these numbers; None where
    there are too many.
    """
    sources = np.pad(np.arange(side.length), (side.before, side.after), mode)  # type: ignore[call-overload]
    steps = np.diff(sources)
    runs: list[Run] = []
    start = 0
    while start < len(sources) and len(runs) <= MOST_RUNS:
        step = int(steps[start]) if start < len(steps) and abs(steps[start]) <= 1 else 1
        count = 1 + int(np.argmin(np.append(steps[start:] == step, False)))
        low, high = sorted((int(sources[start]), int(sources[start + count - 1])))
        runs.append(Run(step, low, high + 1, count))
        start += count
    return sources, tuple(runs) if len(runs) <= MOST_RUNS else None


@lru_cache(maxsize=1024)
def odd_weights(side: Side, mode: str) -> Any:
    """Of odd reflections: how the entry that is read, the first one and the last one count."""
    k, end = np.arange(side.length), side.length - 1
    probes = np.stack([(k > 0) & (k < end), k == 0, (k == end) & (k > 0)]).astype(int)
    widths = ((0, 0), (side.before, side.after))
    return np.pad(probes, widths, mode, reflect_type="odd")  # type: ignore[call-overload]
