"""Functions that take numbers in NumPy, and only arrays in CuPy.

Rules meet numbers among their arguments and tangents, and what they write for arrays holds for
those. A number becomes an array by a kernel, with the number as its parameter: nothing is copied to
the device.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

NUMBERS = (bool, int, float, complex, np.generic)


def number_on_device(cp, x) -> Any:
    """A number as an array without axes; anything else as it is."""
    return cp.asarray(x) if isinstance(x, NUMBERS) else x


def where(cp, condition, *choices) -> Any:
    """One of two values, entry by entry; where all three are numbers, one of the two numbers."""
    if isinstance(condition, NUMBERS) and choices:
        if all(isinstance(choice, NUMBERS) for choice in choices):
            return choices[0] if condition else choices[1]
        condition = cp.asarray(bool(condition))
    return cp.where(condition, *choices)


def reshape(cp, a, /, shape: Any = None, order: str = "C", *, copy: bool | None = None) -> Any:
    """Entries in another shape; CuPy has another name for the parameter `shape`: `newshape`."""
    a = number_on_device(cp, a)
    return cp.reshape(a, shape, order) if copy is None else cp.reshape(a, shape, order, copy=copy)


def broadcast_to(cp, array, shape, subok: bool = False) -> Any:
    """A view of an array, or of a number, with another shape."""
    return cp.broadcast_to(number_on_device(cp, array), shape)


def expand_dims(cp, a, axis) -> Any:
    """A view with more axes."""
    return cp.expand_dims(number_on_device(cp, a), axis)


def stack(cp, arrays: Iterable[Any], axis: int = 0, **options) -> Any:
    """Arrays, and numbers among them, along a new axis."""
    return cp.stack([number_on_device(cp, array) for array in arrays], axis, **options)


def like(name: str) -> Any:
    """A function such as `zeros_like`, where CuPy takes ``shape=()`` for no shape at all."""

    def made(cp, a, *args, shape: Any = None, **options):
        if shape is None:
            return getattr(cp, name)(a, *args, **options)
        return getattr(cp, name)(a, *args, shape=shape or (1,), **options).reshape(shape)

    made.__name__ = name
    return made
