"""`statistics` for traced numbers.

Python's functions compute with fractions, which are exact, and which no traced number can be. Here
their values are Python's, to the last digit, and their derivatives are those of the same formula in
NumPy's functions. In lanes the values are the formula's, too.
"""

import functools
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import numpy as np

from chainrules_foreign_code.lanes import without_derivative
from chainrules_tape.core.levels import call, innermost, open_levels
from chainrules_tape.in_place.lane_memory import lane_sizes
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.instrumented_packages import with_traced


def mean(x, weights: Any = None) -> Any:
    """The mean of entries, which may be weighted."""
    return np.mean(x) if weights is None else np.sum(x * weights) / np.sum(weights)


def deviations(x, center: Any = None) -> Any:
    """Differences from a number, or from the mean."""
    return x - (np.mean(x) if center is None else center)


def variance(x, xbar: Any = None) -> Any:
    """The variance of a sample."""
    return np.sum(deviations(x, xbar) ** 2) / (len(x) - 1)


def pvariance(x, mu: Any = None) -> Any:
    """The variance of a population."""
    return np.mean(deviations(x, mu) ** 2)


def covariance(x, y) -> Any:
    """The covariance of samples."""
    return np.sum(deviations(x) * deviations(y)) / (len(x) - 1)


def linear_regression(x, y, *, proportional: bool = False):
    """The slope and the intercept of a line through points, or through the origin."""
    if proportional:
        return np.sum(x * y) / np.sum(x * x), 0.0
    slope = covariance(x, y) / variance(x)
    return slope, np.mean(y) - slope * np.mean(x)


FORMULAS: dict[str, Callable[..., Any]] = {
    "mean": mean,
    "fmean": mean,
    "geometric_mean": lambda x: np.exp(np.mean(np.log(x))),
    "harmonic_mean": lambda x, weights=None: 1.0 / mean(1.0 / x, weights),
    "variance": variance,
    "pvariance": pvariance,
    "stdev": lambda x, xbar=None: np.sqrt(variance(x, xbar)),
    "pstdev": lambda x, mu=None: np.sqrt(pvariance(x, mu)),
    "covariance": covariance,
    "correlation": lambda x, y: covariance(x, y) / np.sqrt(variance(x) * variance(y)),
    "linear_regression": linear_regression,
    "_mean_stdev": lambda x: (np.mean(x), np.sqrt(variance(x))),
}


def of_numbers(function: Callable[..., Any], formula: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `statistics` that takes lists of traced numbers, too."""

    def chosen(*args, **options):
        if not open_levels:
            return function(*args, **options)
        args = tuple([with_traced(read_once(arg)) for arg in args])
        options = {name: with_traced(read_once(option)) for name, option in options.items()}
        if innermost((*args, *options.values())) is None:
            return function(*args, **options)
        arrays = list(map(as_array, args))
        named = {name: as_array(option) for name, option in options.items()}
        if any(map(lane_sizes, (*arrays, *named.values()))):
            return formula(*arrays, **named)
        exact = function(
            *map(plain_entries, args),
            **{name: plain_entries(option) for name, option in options.items()},
        )
        y = formula(*arrays, **named)
        if isinstance(exact, tuple):
            parts = list(map(with_value, y, exact))
            make: Any = getattr(exact, "_make", tuple)
            return make(parts)
        return with_value(y, exact)

    return functools.update_wrapper(chosen, function)


def read_once(data) -> Any:
    """An iterator as a list; other values as they are."""
    if (
        issubclass(type(data), TracedArray)
        or hasattr(type(data), "__len__")
        or not isinstance(data, Iterable)
    ):
        return data
    return list(data)


def as_array(data) -> Any:
    """A list as an array; other values as they are."""
    return call(np.array, (list(data),), {}) if isinstance(data, list | tuple) else data


def plain_entries(data) -> Any:
    """A list or array with the plain numbers in the place of traced ones."""
    if isinstance(data, list | tuple):
        return list(map(without_derivative, data))
    return without_derivative(data)


def with_value(y, exact) -> Any:
    """A traced number with a value that differs from its own by roundoff."""
    return y + (exact - without_derivative(y)) if issubclass(type(y), TracedArray) else exact


def module_of_numbers(module: ModuleType) -> ModuleType:
    """`statistics` with each of its functions made to take traced numbers."""
    made = ModuleType(module.__name__, module.__doc__)
    vars(made).update(vars(module))
    for name, formula in FORMULAS.items():
        if hasattr(module, name):
            setattr(made, name, of_numbers(getattr(module, name), formula))
    return made
