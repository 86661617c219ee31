"""`pad`, in every mode.

NumPy pads one axis after the other, each time the whole of what the axis before it made. So does
this file: a mode says how one axis is padded and what the adjoint of that is, and the adjoints run
over the axes backwards. Along one axis of n entries:

    constant, empty       the padding does not depend on the entries
    edge, wrap, reflect,  entry k is s[k] x[m[k]] + first[k] x[0] + last[k] x[n - 1], apart from the `end_values` of a ramp; the
    symmetric,            numbers are read off the library's own answer for three vectors, `reflect_type="odd"` included; where
    linear_ramp           `m` runs up, down or stands still a few times only, its adjoint is a sum of slices
    mean, median,         one number per line, a statistic of the entries near the edge: the rule of the statistic says the rest
    maximum, minimum
"""

from collections.abc import Sequence
from functools import lru_cache, reduce
from itertools import pairwise
from operator import add
from typing import Any, NamedTuple

import numpy as np

from chainrules_py import (
    Array,
    LinearMap,
    OptionError,
    ProjectTo,
    frule,
    linearised_rule,
    rrule,
    unthunk,
)
from chainrules_py.makers import Linearised
from chainrules_py.rulesets.entries.scatter import scatter_add
from chainrules_py.rulesets.formulas.array_likes import IDENTITY, chained

STATISTICS = {"mean": np.mean, "median": np.median, "maximum": np.max, "minimum": np.min}
CONSTANT = ("constant", "empty")
ABSENT = object()


class Side(NamedTuple):
    """One axis of `length` entries that grows by `before` and `after`."""

    axis: int
    length: int
    before: int
    after: int

    def along(self, start: int | None, stop: int | None) -> tuple[slice, ...]:
        """A slice on this axis."""
        return (*(slice(None),) * self.axis, slice(start, stop))

    @property
    def middle(self) -> tuple[slice, ...]:
        """The entries that were there before."""
        return self.along(self.before, self.before + self.length)


def sides(shape: tuple[int, ...], pad_width) -> list[Side]:
    """The axes that grow, in every form that NumPy takes `pad_width` in."""
    if isinstance(pad_width, dict):
        widths: Any = [(0, 0)] * len(shape)
        for axis, width in pad_width.items():
            widths[axis] = np.broadcast_to(width, (2,)).tolist()
    else:
        widths = np.broadcast_to(pad_width, (len(shape), 2)).tolist()
    found = (
        Side(axis, n, *width) for axis, (n, width) in enumerate(zip(shape, widths, strict=True))
    )
    return [side for side in found if side.before or side.after]


@linearised_rule(np.pad)
def pad_linearised(
    array: Array,
    *,
    pad_width,
    mode: Any = "constant",
    constant_values: Any = ABSENT,
    end_values: Any = ABSENT,
    stat_length: Any = None,
    reflect_type: str | None = None,
    xp,
) -> Linearised:
    """The padding is cut off the cotangent, after its share went back to where it came from."""
    options = _given(
        mode,
        constant_values=constant_values,
        end_values=end_values,
        stat_length=stat_length,
        reflect_type=reflect_type,
    )
    y, growing = xp.pad(array, pad_width, mode, **options), sides(array.shape, pad_width)
    if mode in CONSTANT:
        box = _original(growing, array.ndim)
        return y, LinearMap(lambda dot: xp.pad(dot, pad_width), lambda y_bar: y_bar[box])
    if mode in STATISTICS:
        return y, _by_statistics(array, growing, STATISTICS[mode], stat_length, xp)

    def pad_pushforward(array_dot):
        return xp.pad(
            array_dot, pad_width, mode, **({"reflect_type": reflect_type} if reflect_type else {})
        )

    def pad_pullback(y_bar):
        for side in reversed(growing):
            y_bar = _line_adjoint(y_bar, side, mode, reflect_type, xp)
        return y_bar

    return y, LinearMap(pad_pushforward, pad_pullback)


def _given(mode, **options) -> dict[str, Any]:
    """The options that the caller gave: NumPy refuses those that a mode does not have."""
    if callable(mode):
        raise OptionError(
            "the rules of numpy.pad",
            f"mode={mode!r} fills the padding in place, by code of its own",
            "pad with mode='constant' and compute the padding with array functions",
            primal=np.pad,
            option="mode",
            value=mode,
        )
    # where None says nothing; elsewhere NumPy pads with nan
    optional = ("stat_length", "reflect_type")
    return {
        name: v
        for name, v in options.items()
        if v is not ABSENT and not (v is None and name in optional)
    }


def _original(growing: list[Side], ndim: int) -> tuple[slice, ...]:
    box = [slice(None)] * ndim
    for side in growing:
        box[side.axis] = slice(side.before, side.before + side.length)
    return tuple(box)


# --- Padding that is linear in single entries ---


class Weights(NamedTuple):
    """Entry k of a padded line is ``s[k] x[m[k]] + first[k] x[0] + last[k] x[-1]``."""

    s: Any
    first: Any
    last: Any


class Run(NamedTuple):
    """Padded entries `start` to `stop`, which come from x[low:high], the other way round (step -1),
    or all from x[low] (0).
    """

    start: int
    stop: int
    step: int
    low: int
    high: int

    def of(self, y_bar, side: Side, low: int, high: int, xp) -> Any:
        """The cotangent that x[low:high] receives from this run."""
        if self.step == 0:
            return xp.sum(y_bar[side.along(self.start, self.stop)], axis=side.axis, keepdims=True)
        if self.step == 1:
            return y_bar[side.along(self.start + low - self.low, self.start + high - self.low)]
        return xp.flip(
            y_bar[side.along(self.start + self.high - high, self.start + self.high - low)],
            axis=side.axis,
        )


MOST_RUNS = 8  # a padding wider than a few times the line is read by an index


@lru_cache(maxsize=1024)
def runs_of(side: Side, mode: str) -> tuple[Run, ...] | None:
    """The runs of `m`; None where there are too many."""
    m = source_of(side, mode, np)
    steps = np.diff(m)
    runs: list[Run] = []
    start = 0
    while start < len(m) and len(runs) <= MOST_RUNS:
        step = int(steps[start]) if start < len(steps) and abs(steps[start]) <= 1 else 1
        stop = start + 1 + int(np.argmin(np.append(steps[start:] == step, False)))
        low, high = sorted((int(m[start]), int(m[stop - 1])))
        runs.append(Run(start, stop, step, low, high + 1))
        start = stop
    return tuple(runs) if len(runs) <= MOST_RUNS else None


def source_of(side: Side, mode: str, xp) -> Any:
    """Which entry of the line each entry of the padded line is taken from: `m` of this module."""
    chosen = "edge" if mode == "linear_ramp" else mode
    return xp.pad(xp.arange(side.length), (side.before, side.after), chosen)


def weights_of(side: Side, mode: str, reflect_type: str | None, dtype, xp) -> Weights | None:
    """The numbers of a line, from what becomes of its ends and of what is between them.

    It is None where ``s`` is 1.
    """
    if mode != "linear_ramp" and reflect_type in (None, "even"):
        return None
    options: dict[str, Any] = {"reflect_type": reflect_type} if reflect_type else {}
    k, end = xp.arange(side.length), side.length - 1
    probes = xp.stack([(k > 0) & (k < end), k == 0, (k == end) & (k > 0)])
    padded = xp.pad(
        xp.asarray(probes, dtype=dtype), ((0, 0), (side.before, side.after)), mode, **options
    )
    return Weights(padded[0], padded[1], padded[2])


def _line_adjoint(y_bar, side: Side, mode: str, reflect_type: str | None, xp) -> Any:
    weights = weights_of(side, mode, reflect_type, y_bar.dtype, xp)
    if weights is None:
        return _collected(y_bar, side, mode, xp)
    column = (-1,) + (1,) * (y_bar.ndim - side.axis - 1)
    s, first, last = (xp.reshape(numbers, column) for numbers in weights)
    x_bar = _collected(s * y_bar, side, mode, xp)
    parts = [x_bar[side.along(0, 1)] + xp.sum(first * y_bar, axis=side.axis, keepdims=True)]
    if side.length > 1:
        end = side.length - 1
        parts += [x_bar[side.along(1, end)]]
        parts += [
            x_bar[side.along(end, None)] + xp.sum(last * y_bar, axis=side.axis, keepdims=True)
        ]
    return xp.concatenate(parts, axis=side.axis)


def _collected(y_bar, side: Side, mode: str, xp) -> Any:
    """x_bar[m[k]] += y_bar[k], for every k of the padded line."""
    runs = runs_of(side, mode)
    if runs is None:
        shape = (*y_bar.shape[: side.axis], side.length, *y_bar.shape[side.axis + 1 :])
        index = (*(slice(None),) * side.axis, source_of(side, mode, xp))
        return scatter_add(y_bar, index=index, shape=shape, dtype=y_bar.dtype)
    cuts = sorted({0, side.length, *(bound for run in runs for bound in (run.low, run.high))})
    parts = [
        reduce(
            add,
            [
                run.of(y_bar, side, low, high, xp)
                for run in runs
                if run.low <= low and high <= run.high
            ],
        )
        for low, high in pairwise(cuts)
    ]
    return parts[0] if len(parts) == 1 else xp.concatenate(parts, axis=side.axis)


# --- Padding by a statistic ---


def _chunks(side: Side, stat_length, ndim: int) -> tuple[Any, Any]:
    """The two slices of an axis over which the statistics of its ends are taken."""
    lengths: Sequence[int | None] = (None, None)
    if stat_length is not None:
        lengths = np.broadcast_to(stat_length, (ndim, 2))[side.axis].tolist()
    left, right = (
        side.length if length is None else min(length, side.length) for length in lengths
    )
    return side.along(0, left), side.along(side.length - right, side.length)


def _by_statistic(x, side: Side, statistic, stat_length, xp) -> Linearised:
    """One axis, padded by a statistic of each end."""
    chunks = _chunks(side, stat_length, x.ndim)
    over = {"axis": side.axis, "keepdims": True}
    (left, pull_left), (right, pull_right) = (
        rrule(statistic, x[chunk], **over) for chunk in chunks
    )
    spec = ProjectTo(x)

    def statistic_pushforward(dot):
        left_dot, right_dot = (
            frule((dot[chunk],), statistic, x[chunk], **over)[1] for chunk in chunks
        )
        return _between(left_dot, dot, right_dot, side, xp)

    def statistic_pullback(y_bar):
        x_bar = y_bar[side.middle]
        ends = (side.along(0, side.before), side.along(side.before + side.length, None))
        for pull, end, chunk in zip((pull_left, pull_right), ends, chunks, strict=True):
            chunk_bar = unthunk(pull(xp.sum(y_bar[end], axis=side.axis, keepdims=True))[0])
            x_bar = x_bar + scatter_add(chunk_bar, index=chunk, shape=spec.shape, dtype=spec.dtype)
        return x_bar

    return _between(left, x, right, side, xp), LinearMap(statistic_pushforward, statistic_pullback)


def _between(left, x, right, side: Side, xp) -> Any:
    return xp.concatenate([*[left] * side.before, x, *[right] * side.after], axis=side.axis)


def _by_statistics(x, growing: list[Side], statistic, stat_length, xp) -> LinearMap:
    """One axis after the other."""
    linear = IDENTITY
    for side in growing:
        x, step = _by_statistic(x, side, statistic, stat_length, xp)
        linear = chained(step, linear)
    return linear
