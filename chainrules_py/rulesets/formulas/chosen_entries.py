"""Cotangents that are zero but where a mask holds, such as that of a maximum.

Where an array library has its own `add_chosen`, they are thunks: added to what has arrived before,
they are read and written at the chosen entries only, of which there may be one in a thousand.
"""

from collections.abc import Callable
from typing import Any

from chainrules_py import InplaceableThunk, Space
from chainrules_py.values.arrays import library_of


def add_chosen(buffer: Any, mask: Any, values: Any, xp: Any) -> None:
    """``buffer += where(mask, values, 0)``, in place."""
    buffer += xp.where(mask, values, 0)


def chosen(mask: Any, values: Any, x: Space, xp: Any) -> Any:
    """``where(mask, values, 0)``, the cotangent of an array like `x`.

    The values broadcast against the mask.
    """
    add = _own_addition(mask, values)
    if add is None or mask.shape != x.shape or values.dtype != x.dtype:
        return xp.where(mask, values, 0)
    return InplaceableThunk(
        lambda: xp.where(mask, values, 0),
        lambda buffer: add(buffer, mask, values, xp),
        lambda: xp.zeros(x.shape, x.dtype),
        "chosen",
        (x.shape, x.dtype),
    )


def _own_addition(mask: Any, values: Any) -> Callable[..., None] | None:
    """The `add_chosen` of the library of both arrays, if it has its own and they are not traced."""
    library = library_of(type(values))
    if library is None or type(values) not in library.array_types or type(mask) is not type(values):
        return None
    own = library.implementation(add_chosen)
    return None if own is add_chosen else own
