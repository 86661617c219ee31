"""`scipy.signal` as programs for autograd have it, whose `convolve` takes axes.

SciPy's own is imported when something of it is used: it takes longer than all of autograd.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from chainrules_tape import scipy
from chainrules_tape.autograd.numpy import asarray

Axes = Sequence[Iterable[int]]
MODES = ("full", "valid", "same")


class Factor(NamedTuple):
    """An array with its axes that are convolved, and those that are summed over."""

    value: Any
    axes: list[int]
    summed: list[int]

    @classmethod
    def of(cls, x, axes: Iterable[int], summed: Iterable[int]) -> "Factor":
        """An array with its axes counted from the first one."""
        return cls(x, [axis % x.ndim for axis in axes], [axis % x.ndim for axis in summed])

    @property
    def others(self) -> list[int]:
        """The axes that are not summed over."""
        return [axis for axis in range(self.value.ndim) if axis not in self.summed]

    @property
    def sizes(self) -> list[int]:
        """The lengths of the axes that are convolved."""
        return [self.value.shape[axis] for axis in self.axes]


def convolve(A, B, axes: Axes | None = None, dot_axes: Axes = ((), ()), mode: str = "full") -> Any:
    """The convolution of two arrays along some of their axes, in pairs; all of them by default.

    `axes` has the axes of A, and those of B in the same order. The products are summed over the
    axes in `dot_axes`. The axes of the result are those that remain of A, those that remain of B,
    and the convolved.

    >>> a, b = np.arange(6.0).reshape(2, 3), np.ones((2, 2))
    >>> convolve(a, b, axes=([1], [1]), dot_axes=([0], [0]), mode="valid")
    array([ 8., 12.])
    """
    if mode not in MODES:
        raise ValueError(f"convolve: mode={mode!r}; pass one of {', '.join(map(repr, MODES))}")
    A, B = asarray(A), asarray(B)
    if axes is None:
        axes = (range(A.ndim), range(A.ndim))

    A, B = Factor.of(A, axes[0], dot_axes[0]), Factor.of(B, axes[1], dot_axes[1])
    require_pairs(A.axes, B.axes, "axes")
    require_pairs(A.summed, B.summed, "dot_axes")
    if A.axes == B.axes == list(range(A.value.ndim)) == list(range(B.value.ndim)):
        return scipy.signal.convolve(A.value, B.value, mode=mode)

    return convolved(A, B, mode)


def require_pairs(of_a: list[int], of_b: list[int], name: str) -> None:
    """Raise where an axis of one array has none of the other beside it."""
    if len(of_a) != len(of_b):
        raise ValueError(
            f"convolve: {name} has {len(of_a)} axes of the first array and {len(of_b)} of the"
            " second; pass pairs"
        )


def convolved(a: Factor, b: Factor, mode: str) -> Any:
    """The convolution of arrays: the sum of products with windows of the first."""
    if mode == "valid" and a.sizes != b.sizes and is_within(a, b):
        y = convolved(b, a, mode)
        of_b = range(len(b.others) - len(b.axes))  # which are in front
        return np.moveaxis(y, of_b, range(len(a.others) - len(a.axes), y.ndim - len(a.axes)))
    if mode == "valid" and not is_within(b, a):
        raise ValueError(
            f"convolve: mode='valid', axes of lengths {a.sizes} and {b.sizes}; pass one array that"
            " is the longer one along each"
        )

    padded = np.pad(a.value, paddings(a, b, mode))
    windows = sliding_window_view(padded, tuple(b.sizes), axis=tuple(a.axes))
    weights = np.flip(b.value, axis=tuple(b.axes))
    count = len(b.axes)
    within = range(windows.ndim - count, windows.ndim)
    y = np.tensordot(windows, weights, ([*a.summed, *within], [*b.summed, *b.axes]))
    return np.moveaxis(y, list(map(a.others.index, a.axes)), range(-count, 0))


def is_within(small: Factor, large: Factor) -> bool:
    """Tell whether no convolved axis of an array is longer than that of another."""
    return all(n <= m for n, m in zip(small.sizes, large.sizes, strict=True))


def paddings(a: Factor, b: Factor, mode: str) -> list[tuple[int, int]]:
    """How many zeros there are before and behind each axis of the first array."""
    found = [(0, 0)] * a.value.ndim
    for axis, length in zip(a.axes, b.sizes, strict=True):
        if mode == "full":
            found[axis] = (length - 1, length - 1)
        elif mode == "same":
            behind = (length - 1) // 2
            found[axis] = (length - 1 - behind, behind)
    return found


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(scipy.signal, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.signal)})
