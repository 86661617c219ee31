"""The layouts that arrays of other libraries are known to have; `layouts` says what these are."""

import weakref
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.values.arrays import is_numpys, library_of
from chainrules_tape.refusals.handles import TracedArray


class Layout(NamedTuple):
    """The layout of an array, and the array that has all of the memory which this is a view of.

    That is the array itself where it is None.
    """

    array: np.ndarray
    whole: Any = None


class Known(NamedTuple):
    """A layout, and a reference to the array that it belongs to."""

    reference: Any
    layout: Layout


# Those of all arrays that have one, by the number of the array, while that lives: in most programs
# there are none.
layouts: dict[int, Known] = {}


def layout_of(x) -> Layout:
    """The layout of an array: as it is known, or else memory of its own."""
    if type(x) is np.ndarray:
        return Layout(x)
    found = known_layout(x)
    return remember(x, Layout(np.zeros(x.shape, x.dtype))) if found is None else found


def memory_of(x) -> Any:
    """The array of NumPy's that says how a traced value lies in memory."""
    while issubclass(type(x), TracedArray):
        if x.is_stored:
            return x.plain_view
        x = x.value
    is_plain = isinstance(x, np.ndarray | np.generic | float | complex | int) or is_numpys(x)
    return x if is_plain else layout_of(x).array


def known_layout(x) -> Layout | None:
    """The layout of an array, if one was made for it."""
    found = layouts.get(id(x))
    return found.layout if found is not None and found.reference() is x else None


def remember(x, layout: Layout) -> Layout:
    """Say which layout an array has, for as long as it lives."""
    key = id(x)

    def forget(reference) -> None:
        if key in layouts and layouts[key].reference is reference:
            del layouts[key]

    layouts[key] = Known(weakref.ref(x, forget), layout)
    return layout


def another(y) -> Any:
    """Another array with the same numbers."""
    library = library_of(type(y))
    return library.implementation(np.copy)(y)  # type: ignore[union-attr]
