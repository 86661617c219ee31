"""`bottleneck` for traced arrays: functions that NumPy has, too, and functions of moving windows.

The values are `bottleneck`'s, to the last digit.
"""

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from chainrules_foreign_code.lanes import without_derivative
from chainrules_tape.core.dispatch import as_operand
from chainrules_tape.core.levels import innermost, open_levels
from chainrules_tape.refusals.handles import TracedArray

# Whose results are integers, truth values or ranks, which have no derivative.
_CONSTANT = (
    *("nanargmin", "nanargmax", "anynan", "allnan", "rankdata", "nanrankdata", "argpartition"),
)
_CONSTANT_MOVING = ("move_argmin", "move_argmax", "move_rank")


def moving(of_windows: Callable[..., Any]) -> Callable[..., Any]:
    """A function of moving windows, given one of all windows and of the mask of their numbers."""

    def of_array(
        a,
        window: int,
        min_count: int | None = None,
        axis: int = -1,
        *more,
        **options,
    ):
        a = np.moveaxis(a, axis, -1)
        padding = np.full((*a.shape[:-1], window - 1), np.nan)
        windows = sliding_window_view(np.concatenate([padding, a], axis=-1), window, axis=-1)
        valid = ~np.isnan(without_derivative(windows))
        counts = np.sum(valid, axis=-1)
        y = of_windows(windows, valid, np.maximum(counts, 1), *more, **options)
        return np.moveaxis(
            np.where(counts >= (window if min_count is None else min_count), y, np.nan), -1, axis
        )

    return of_array


def window_mean(windows, valid, counts) -> Any:
    """Means of the numbers in each window."""
    return np.sum(np.where(valid, windows, 0.0), axis=-1) / counts


def window_variance(windows, valid, counts, ddof: int = 0) -> Any:
    """Variances of the numbers in each window; no number where there are as few as `ddof`."""
    mean = window_mean(windows, valid, counts)[..., None]
    squares = np.sum(np.where(valid, windows - mean, 0.0) ** 2, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return squares * (1 / (counts - ddof))


def window_deviation(windows, valid, counts, ddof: int = 0):
    """Standard deviations of the numbers in each window."""
    variance = window_variance(windows, valid, counts, ddof)
    is_zero = without_derivative(variance) == 0.0
    return np.where(is_zero, 0.0, np.sqrt(np.where(is_zero, 1.0, variance)))


def window_median(windows, valid, counts):
    """Medians of the numbers in each window, the others last."""
    ordered = np.sort(np.where(valid, windows, np.inf), axis=-1)
    low, high = (counts - 1) // 2, counts // 2
    both = [np.take_along_axis(ordered, k[..., None], axis=-1)[..., 0] for k in (low, high)]
    return (both[0] + both[1]) / 2


def partition(a, kth: int, axis: int | None = -1) -> Any:
    """The entries in the order in which `bottleneck` puts them, which is not NumPy's."""
    order = sys.modules["bottleneck"].argpartition(without_derivative(a), kth, axis)
    return np.ravel(a)[order] if axis is None else np.take_along_axis(a, order, axis)


def sum_of_squares(a, axis: int | None = None):
    """The sum of squares."""
    return np.sum(a * a, axis=axis)


def push(a, n: float | None = None, axis: int = -1) -> Any:
    """Numbers in the place of the nans that follow them, at most so many."""
    a = np.moveaxis(a, axis, -1)
    positions = np.arange(a.shape[-1])
    last = np.maximum.accumulate(np.where(np.isnan(without_derivative(a)), -1, positions), axis=-1)
    is_near = positions - last <= (np.inf if n is None else n)
    y = np.take_along_axis(a, np.where((last >= 0) & is_near, last, positions), axis=-1)
    return np.moveaxis(y, -1, axis)


def with_ddof(function: Callable[..., Any]) -> Callable[..., Any]:
    """A spread of NumPy's, with the arguments in `bottleneck`'s order."""
    return lambda a, axis=None, ddof=0: function(a, axis=axis, ddof=ddof)


_AS_NUMPY = ("nansum", "nanmean", "nanmin", "nanmax", "nanmedian", "median")
TRACED: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in _AS_NUMPY},
    "nanstd": with_ddof(np.nanstd),
    "nanvar": with_ddof(np.nanvar),
    "ss": sum_of_squares,
    "push": push,
    "partition": partition,
    "move_sum": moving(
        lambda windows, valid, counts: np.sum(np.where(valid, windows, 0.0), axis=-1)
    ),
    "move_mean": moving(window_mean),
    "move_var": moving(window_variance),
    "move_std": moving(window_deviation),
    "move_min": moving(
        lambda windows, valid, counts: np.min(np.where(valid, windows, np.inf), axis=-1)
    ),
    "move_max": moving(
        lambda windows, valid, counts: np.max(np.where(valid, windows, -np.inf), axis=-1)
    ),
    "move_median": moving(window_median),
}


def of_arrays(function) -> Callable[..., Any]:
    """A function of `bottleneck`, for traced arrays, too; with plain ones it is its own."""
    name = function.__name__
    traced = TRACED.get(name)

    def chosen(*args, **options):
        if not open_levels:
            return function(*args, **options)
        args = tuple(map(as_operand, args[:1])) + args[1:]
        options = {
            key: as_operand(option) if key == "a" else option for key, option in options.items()
        }
        if innermost((*args, *options.values())) is None:
            return function(*args, **options)
        exact = function(
            *map(without_derivative, args),
            **{key: without_derivative(option) for key, option in options.items()},
        )
        return exact if traced is None else with_values(traced(*args, **options), exact)

    return functools.update_wrapper(chosen, function)


def with_values(y, exact) -> Any:
    """A traced value with entries that differ from its own by roundoff."""
    if not issubclass(type(y), TracedArray):
        return exact
    own = without_derivative(y)
    with np.errstate(invalid="ignore"):
        y = y + np.where(np.isfinite(exact) & np.isfinite(own), exact - own, 0.0)
    return y.astype(exact.dtype, copy=False) if isinstance(exact, np.ndarray) else y


def module_of_arrays(module: ModuleType) -> ModuleType:
    """The module with each of its functions made to take traced arrays."""
    made = ModuleType(module.__name__, module.__doc__)
    vars(made).update(vars(module))
    for name in (*TRACED, *_CONSTANT, *_CONSTANT_MOVING):
        if hasattr(module, name):
            setattr(made, name, of_arrays(getattr(module, name)))
    return made
