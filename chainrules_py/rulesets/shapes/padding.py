"""`pad`: one axis after the other is joined with its two borders.

    constant, empty    numbers
    mean, median,      a statistic of the entries near each end
    maximum, minimum
    linear_ramp        means of an end and of the number that it goes to
    edge               the end
    wrap               entries near the other end
    symmetric,         entries near the end, the other way round, and with `reflect_type="odd"` twice the end less these;
    reflect            the latter without the end itself

The last three lengthen an axis by its own length at most, and go on from there.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from chainrules_py import Array, OptionError, composed
from chainrules_py.annotations import Options
from chainrules_py.rulesets.formulas.runs import index_along


@composed(np.pad)
def pad(array: Array, *, pad_width, mode: Any = "constant", xp, **options) -> Any:
    """The borders of an axis are made of what the axes before have become."""
    if callable(mode):
        raise OptionError(
            "the rules of numpy.pad",
            f"mode={mode!r} fills the padding in place, by code of its own",
            "pad with mode='constant' and compute the padding with array functions",
            primal=np.pad,
            option="mode",
            value=mode,
        )
    if options or mode not in MODES:
        np.pad(np.zeros((1,) * array.ndim), 0, mode, **options)  # for its errors
    y = array
    for axis, widths in enumerate(widths_of(pad_width, array.ndim)):
        n = y.shape[axis]
        if any(widths) and (min(widths) < 0 or not (n or mode in CONSTANT)):
            np.pad(np.zeros(0), widths, mode)  # for its error
        own = "edge" if mode == "reflect" and n == 1 else mode
        longest = {"reflect": n - 1, "symmetric": n, "wrap": n}.get(own, max(widths))
        while any(widths):
            now = [min(width, longest) for width in widths]
            before, after = MODES[own](Line(y, axis, n, xp), now, options)
            y = xp.concatenate([before, y, after], axis=axis)
            widths = [width - done for width, done in zip(widths, now, strict=True)]
    if y is array:
        return xp.copy(array)
    if not hasattr(array, "flags"):
        return y
    # numbers that are repeated lie in memory in no order, and so would the result
    if array.flags.fnc:
        return xp.asfortranarray(y)
    return y if y.flags.c_contiguous else xp.ascontiguousarray(y)


def widths_of(pad_width, ndim: int) -> list[list[int]]:
    """The widths of the borders of each axis, in every form that NumPy takes them in."""
    if not isinstance(pad_width, dict):
        return pairs(pad_width, ndim)
    widths = [[0, 0]] * ndim
    for axis, width in pad_width.items():
        widths[axis] = np.broadcast_to(width, (2,)).tolist()
    return widths


def pairs(given, ndim: int) -> list[Any]:
    """What is given for both ends of each axis, of all axes, or at once."""
    found: list[Any] = np.broadcast_to(np.asarray(given), (ndim, 2)).tolist()
    return found


class Line(NamedTuple):
    """An array along one axis, which had `n` entries at first."""

    y: Any
    axis: int
    n: int
    xp: Any

    def part(self, start: int, stop: int) -> Any:
        """The entries between two places."""
        return self.y[index_along(self.axis, slice(start, stop))]

    def ends(self) -> list[Any]:
        """The first entry and the last one."""
        last = self.y.shape[self.axis] - 1
        return [self.part(k, k + 1) for k in (0, last)]

    def repeated(self, values, widths: Sequence[int]) -> list[Any]:
        """Borders of equal values."""
        shape = list(self.y.shape)
        shapes = [(*shape[: self.axis], width, *shape[self.axis + 1 :]) for width in widths]
        return list(map(self.xp.broadcast_to, values, shapes))


def of_numbers(line: Line, widths: Sequence[int], options: Options) -> list[Any]:
    """Numbers."""
    numbers = pairs(options.get("constant_values", 0), line.y.ndim)[line.axis]
    return line.repeated([line.xp.full((), each, dtype=line.y.dtype) for each in numbers], widths)


def of_ends(line: Line, widths: Sequence[int], options: Options) -> list[Any]:
    """Each end again and again."""
    return line.repeated(line.ends(), widths)


def of_ramps(line: Line, widths: Sequence[int], options: Options) -> list[Any]:
    """Equal steps from a number to each end."""
    y, axis, _, xp = line
    numbers = pairs(options.get("end_values", 0), y.ndim)[axis]
    how = {"endpoint": False, "dtype": y.dtype, "axis": axis}
    before, after = [
        xp.linspace(number, xp.squeeze(end, axis=axis), width, **how)
        for number, end, width in zip(numbers, line.ends(), widths, strict=True)
    ]
    return [before, xp.flip(after, axis=axis)]


def of_statistics(name: str) -> Callable[..., list[Any]]:
    """Make the borders of a statistic of the entries near each end."""

    def borders(line: Line, widths: Sequence[int], options: Options) -> list[Any]:
        axis, n, function = line.axis, line.n, getattr(line.xp, name)
        lengths = pairs(options.get("stat_length"), line.y.ndim)[axis]
        first, last = [n if length is None else min(length, n) for length in lengths]
        near = line.part(0, first), line.part(n - last, n)
        return line.repeated([function(each, axis=axis, keepdims=True) for each in near], widths)

    return borders


def of_other_end(line: Line, widths: Sequence[int], options: Options) -> list[Any]:
    """The axis again and again."""
    start = line.y.shape[line.axis] - line.n
    return [line.part(line.n - widths[0], line.n), line.part(start, start + widths[1])]


def of_reflections(skipped: int) -> Callable[..., list[Any]]:
    """Make the borders that are reflected at the ends, of which so many entries stand once."""

    def borders(line: Line, widths: Sequence[int], options: Options) -> list[Any]:
        stop = line.y.shape[line.axis] - skipped
        near = line.part(skipped, skipped + widths[0]), line.part(stop - widths[1], stop)
        even = [line.xp.flip(each, axis=line.axis) for each in near]
        if options.get("reflect_type") != "odd":
            return even
        return [2 * end - each for end, each in zip(line.ends(), even, strict=True)]

    return borders


CONSTANT = ("constant", "empty")
MODES: dict[str, Callable[..., list[Any]]] = {
    **dict.fromkeys(CONSTANT, of_numbers),
    "edge": of_ends,
    "linear_ramp": of_ramps,
    "mean": of_statistics("mean"),
    "median": of_statistics("median"),
    "maximum": of_statistics("max"),
    "minimum": of_statistics("min"),
    "wrap": of_other_end,
    "symmetric": of_reflections(0),
    "reflect": of_reflections(1),
}
