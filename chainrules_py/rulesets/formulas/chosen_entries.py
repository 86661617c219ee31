"""Cotangents that are zero but where a mask holds, such as that of a maximum.

Where an array library has its own `add_chosen`, they are thunks: added to what has arrived before,
they are read and written at the chosen entries only, of which there may be one in a thousand.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py import InplaceableThunk, Space
from chainrules_py.annotations import Function
from chainrules_py.values.arrays import library_of


def add_chosen(buffer, mask, values, xp) -> None:
    """``buffer += where(mask, values, 0)``, in place."""
    buffer += xp.where(mask, values, 0)


def chosen(mask, values, x: Space, xp) -> Any:
    """``where(mask, values, 0)``, the cotangent of an array like `x`.

    The values broadcast against the mask.
    """
    add = own_function(add_chosen, mask, values)
    if add is None or mask.shape != x.shape or values.dtype != x.dtype:
        return xp.where(mask, values, 0)
    return InplaceableThunk(
        lambda buffer: add(buffer, mask, values, xp),
        lambda: xp.where(mask, values, 0),
        lambda: xp.zeros(x.shape, x.dtype),
        "chosen",
        (x.shape, x.dtype),
    )


def sharing(a, extreme, values, axes: tuple[int, ...], xp) -> Callable[[Any], None] | None:
    """Make the function that adds values to a buffer, in equal shares at the entries of `a` that
    are equal to its extreme; None where an array library has no function of its own for that.

    `extreme` and `values` have the reduced axes at length one. An array library that has such a
    function gives it in the place of this one (`own_function`).
    """
    return None


def adding(add: Callable[[Any], None], a, xp) -> InplaceableThunk:
    """The cotangent of an array `a` that a function adds to a buffer."""

    def zeros() -> Any:
        return xp.zeros(a.shape, a.dtype)

    def computed():
        found = zeros()
        add(found)
        return found

    def fits(buffer) -> bool:
        return type(buffer) is type(a) and bool(buffer.flags.c_contiguous)

    return InplaceableThunk(add, computed, zeros, "adding", (a.shape, a.dtype), fits)


def own_function(function, like, values) -> Function | None:
    """A function of the library of both arrays, if it has its own and they are not traced.

    NumPy has none: the functions here are written in it, and to ask would take 1 us.
    """
    if type(values) is np.ndarray:
        return None
    library = library_of(type(values))
    if library is None or type(values) not in library.array_types or type(like) is not type(values):
        return None
    own: Function = library.implementation(function)
    return None if own is function else own
