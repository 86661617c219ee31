"""`linspace`, `logspace` and `geomspace` in their two ends."""

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from chainrules_py import composed
from chainrules_py.rulesets.formulas.known_values import any_at_hand
from chainrules_py.values.arrays import Array, Scalar, shape_of


class Ramp:
    """Numbered samples between ends, along a first axis, which is put where it is to be at last."""

    def __init__(self, shape, num: int, endpoint: bool, axis: int, dtype, xp) -> None:
        num = operator.index(num)
        if num < 0:
            raise ValueError(
                f"numpy.linspace: got {num} samples; pass a number that is not negative"
            )
        self.shape, self.xp = shape, xp
        self.axis = normalize_axis_index(axis, len(shape) + 1)
        self.steps = num - 1 if endpoint else num
        self.has_last = endpoint and num > 1
        real = np.zeros((), dtype).real.dtype
        self.number = xp.reshape(xp.arange(num, dtype=real), (num,) + (1,) * len(shape))

    def along(self, end) -> Any:
        """An end for all samples."""
        return self.xp.expand_dims(self.xp.broadcast_to(end, self.shape), 0)

    def placed(self, y) -> Any:
        """The samples, along their axis."""
        return self.xp.moveaxis(y, 0, self.axis) if self.axis else y

    def with_last(self, y, stop) -> Any:
        """Samples of which the last one is that end, to the last digit."""
        if not self.has_last:
            return y
        return self.xp.where(self.number == self.steps, self.along(stop), y)

    def between(self, start, stop) -> Any:
        """The samples between two ends, and the step from one to the next."""
        step = (stop - start) / max(self.steps, 1)
        y = self.along(start) + self.number * self.along(step)
        return self.with_last(y, stop), step if self.steps > 0 else np.nan


def ramp(start, stop, num: int, endpoint: bool, axis: int, xp) -> tuple[Any, Any]:
    """Numbers between two ends, and their step."""
    ends = (floating(start), floating(stop))
    dtype = np.result_type(*(getattr(end, "dtype", end) for end in ends))
    start, stop = xp.asarray(start, dtype=dtype), xp.asarray(stop, dtype=dtype)
    shape = np.broadcast_shapes(start.shape, stop.shape)
    own = Ramp(shape, num, endpoint, axis, dtype, xp)
    y, step = own.between(start, stop)
    return own.placed(y), step


def floating(x) -> Any:
    """Numbers that are no integers."""
    return x if np.result_type(getattr(x, "dtype", x)).kind in "fc" else x * 1.0


def cast(y, dtype) -> Any:
    """An array in a dtype, if one is given."""
    return y if dtype is None else y.astype(dtype)


@composed(np.linspace)
def linspace(
    start: Array | Scalar,
    stop: Array | Scalar,
    *,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    xp,
) -> Any:
    """Sums of the first end and multiples of the step."""
    y, step = ramp(start, stop, num, endpoint, axis, xp)
    if dtype is not None and np.issubdtype(dtype, np.integer):
        y = xp.floor(y)
    y = cast(y, dtype)
    return (y, step) if retstep else y


@composed(np.logspace)
def logspace(
    start: Array | Scalar,
    stop: Array | Scalar,
    *,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
    xp,
):
    """Powers of the base, which is not differentiated."""
    rank = np.ndim(base)
    if rank:
        rank = max(rank, len(shape_of(start)), len(shape_of(stop)))
        start, stop, base = (
            xp.reshape(x, (1,) * (rank - len(shape_of(x))) + shape_of(x))
            for x in (start, stop, xp.asarray(base))
        )
        base = xp.expand_dims(base, axis)
    return cast(xp.power(base, ramp(start, stop, num, endpoint, axis, xp)[0]), dtype)


@composed(np.geomspace)
def geomspace(
    start: Array | Scalar,
    stop: Array | Scalar,
    *,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
    xp,
):
    """Powers of ten, turned to the direction of the first end; the ends are those given."""
    ends: list[Any] = [start, stop]
    if any(any_at_hand(end == 0) for end in ends):
        raise ValueError("numpy.geomspace: got an end that is zero; pass ends of one sign")
    known = [getattr(end, "dtype", end) for end in ends]
    found = np.result_type(*known, float(num), np.zeros((), dtype))
    first, last = xp.asarray(start, dtype=found), xp.asarray(stop, dtype=found)
    turn = xp.sign(first)
    first, last = first / turn, last / turn
    shape = np.broadcast_shapes(first.shape, last.shape)
    own = Ramp(shape, num, endpoint, axis, found, xp)
    y = xp.power(10.0, own.between(xp.log10(first), xp.log10(last))[0])
    y = xp.where(own.number == 0, own.along(first), own.with_last(y, last))
    return cast(own.placed(y * own.along(turn)), dtype)
