"""A value as a constant: `ignore_derivatives` in rules, `stop_gradient` in programs."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from chainrules_py.makers import axes_rule, non_differentiable, primitive
from chainrules_py.values.arrays import library_of
from chainrules_py.values.structure import is_container, mapped

T = TypeVar("T")


@primitive
def _ignored(value):
    return value


@primitive
def _copied(value) -> Any:
    if type(value) is np.ndarray:
        return value.copy("K")
    library = library_of(type(value))
    return value.copy("K") if library is not None and library.mutable else value


non_differentiable(_ignored, _copied)
axes_rule(_ignored, _copied, kind="elementwise")


def ignore_derivatives(value: Any) -> Any:
    """Return the value as a constant; for a function, that function with constant results.

    >>> ignore_derivatives(2.0)
    2.0
    """
    return as_constant(value, _ignored)


def stop_gradient(value: T) -> T:
    """Return the value as a constant, an array as a copy, which later writes do not reach; for a
    function, return that function with constant results.

    >>> y = np.ones(2)
    >>> constant = stop_gradient(y)
    >>> y += 1.0
    >>> constant
    array([1., 1.])
    """
    return as_constant(value, _copied)


def as_constant(value, of_part: Callable[[Any], Any]) -> Any:
    """Apply a function without derivative to a value, or to the parts of a container."""
    if hasattr(type(value), "__chainrules_call__"):
        return of_part(value)
    if is_container(value):
        return mapped(lambda part: as_constant(part, of_part), value)
    if callable(value) and not isinstance(value, type):

        @wraps(value)
        def ignoring(*args, **options):
            return as_constant(value(*args, **options), of_part)

        return ignoring
    return of_part(value)
