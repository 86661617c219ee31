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
    """An array whose axes are sorted: first those that stay, then the summed, then the convolved."""

    value: Any
    staying: int
    summed: int

    @property
    def convolved(self) -> range:
        """The axes that are convolved."""
        return range(self.staying + self.summed, self.value.ndim)

    @property
    def sizes(self) -> list[int]:
        """The lengths of the axes that are convolved."""
        return [self.value.shape[axis] for axis in self.convolved]


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

    of_a, of_b = (list(one) for one in axes)
    dots_of_a, dots_of_b = (list(one) for one in dot_axes)
    require_pairs(of_a, of_b, "axes")
    require_pairs(dots_of_a, dots_of_b, "dot_axes")
    if of_a == of_b == list(range(A.ndim)) == list(range(B.ndim)):
        return scipy.signal.convolve(A, B, mode=mode)

    return convolved(sorted_axes(A, of_a, dots_of_a), sorted_axes(B, of_b, dots_of_b), mode)


def require_pairs(of_a: list[int], of_b: list[int], name: str) -> None:
    """Raise where an axis of one array has none of the other beside it."""
    if len(of_a) != len(of_b):
        raise ValueError(
            f"convolve: {name} has {len(of_a)} axes of the first array and {len(of_b)} of the"
            " second; pass pairs"
        )


def sorted_axes(x, convolved_axes: list[int], summed: list[int]) -> Factor:
    """An array with the axes that stay first, then the summed, then the convolved."""
    last = [axis % x.ndim for axis in [*summed, *convolved_axes]]
    staying = [axis for axis in range(x.ndim) if axis not in last]
    return Factor(np.transpose(x, staying + last), len(staying), len(summed))


def convolved(a: Factor, b: Factor, mode: str) -> Any:
    """The convolution of arrays with sorted axes: the sum of products with windows of the first."""
    if mode == "valid" and a.sizes != b.sizes and is_within(a, b):
        return exchanged(convolved(b, a, mode), b.staying, a.staying)
    if mode == "valid" and not is_within(b, a):
        raise ValueError(
            f"convolve: mode='valid', axes of lengths {a.sizes} and {b.sizes}; pass one array that"
            " is the longer one along each"
        )

    padded = np.pad(a.value, paddings(a, b, mode))
    windows = sliding_window_view(padded, tuple(b.sizes), axis=tuple(a.convolved))
    weights = np.flip(b.value, axis=tuple(b.convolved))

    count = len(b.sizes)
    summed_of_windows = range(a.staying, a.staying + a.summed)
    summed_of_weights = range(b.staying, b.staying + b.summed)
    within = range(windows.ndim - count, windows.ndim)
    y = np.tensordot(
        windows, weights, ([*summed_of_windows, *within], [*summed_of_weights, *b.convolved])
    )

    # what stays of a, the convolved axes, what stays of b
    places = range(a.staying, a.staying + count)
    return np.moveaxis(y, list(places), list(range(y.ndim - count, y.ndim)))


def is_within(small: Factor, large: Factor) -> bool:
    """Tell whether no convolved axis of an array is longer than that of another."""
    return all(n <= m for n, m in zip(small.sizes, large.sizes, strict=True))


def paddings(a: Factor, b: Factor, mode: str) -> list[tuple[int, int]]:
    """How many zeros there are before and behind each axis of the first array."""
    found = [(0, 0)] * a.value.ndim
    for axis, length in zip(a.convolved, b.sizes, strict=True):
        if mode == "full":
            found[axis] = (length - 1, length - 1)
        elif mode == "same":
            behind = (length - 1) // 2
            found[axis] = (length - 1 - behind, behind)
    return found


def exchanged(y, first: int, second: int) -> Any:
    """An array whose first axes, and those that follow them, are exchanged."""
    rest = range(first + second, y.ndim)
    return np.transpose(y, [*range(first, first + second), *range(first), *rest])


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(scipy.signal, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(scipy.signal)})
