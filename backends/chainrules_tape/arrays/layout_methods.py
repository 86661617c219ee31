"""Methods of arrays whose result has another memory layout than that of NumPy's function.

``x.copy()`` has the order of C where ``np.copy(x)`` has that of `x`; ``x.flatten()`` is
``np.ravel(x)``, but never a view; ``x.conj()`` of real numbers is `x`, and ``np.conj(x)`` is a
copy; ``x.astype`` takes an order. Code that writes can tell.
"""

from typing import Any

import numpy as np

from chainrules_py.values.arrays import held_array, is_numpys
from chainrules_tape.core.levels import call_traced
from chainrules_tape.in_place.known_layouts import another, known_layout, memory_of
from chainrules_tape.refusals.handles import TracedArray, moved, plain


class LayoutMethods(TracedArray):
    """Copies, conversions and conjugates of traced values, in the memory where NumPy has them."""

    __slots__ = ()

    def copy(self, order: str = "C") -> Any:
        """As ``numpy.ndarray.copy``."""
        options = {} if is_in_order(self, order) else {"order": order}
        return self.__array_function__(np.copy, (), (self,), options)

    def flatten(self, order: str = "C") -> Any:
        """As ``numpy.ndarray.flatten``."""
        flat = self.__array_function__(np.ndarray.ravel, (), (self,), {"order": order})
        return with_own_memory(flat)

    def astype(
        self,
        dtype,
        order: str = "K",
        casting: Any = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Any:
        """As ``numpy.ndarray.astype``."""
        if casting != "unsafe":
            require_cast(self, dtype, casting)
        if order != "K":
            options = {"dtype": dtype, "order": order, "copy": True if copy else None}
            return call_traced(np.array, (self,), options)
        options = {} if copy else {"copy": False}
        return self.__array_function__(np.ndarray.astype, (), (self, dtype), options)

    def conj(self) -> Any:
        """As ``numpy.ndarray.conj``: real numbers are their own conjugates."""
        if plain(self).dtype.kind != "c":
            return self
        return self.__array_function__(np.ndarray.conj, (), (self,), {})

    conjugate = conj


def is_in_order(x: TracedArray, order: str) -> bool:
    """Whether a copy in this order is one in the order that the array has."""
    if order == "K":
        return True
    array = held_array(memory_of(x))
    return array is None or (order == "C" and bool(array.flags.c_contiguous))


def with_own_memory(x) -> Any:
    """A value that shares no memory: a copy of a view, with its slot or its tangent."""
    if is_numpys(x):
        return x if x.base is None else x.copy()
    if not issubclass(type(x), TracedArray):
        return x if known_layout(x) is None else another(x)
    if x.is_stored:  # it was found to be a view of what was written to
        return x.resolved()
    value = with_own_memory(x.value)
    return x if value is x.value else moved(x, value)


def require_cast(x, dtype, casting) -> None:
    """Raise NumPy's error for a cast to a dtype that this kind of casting does not allow."""
    if np.can_cast(x.dtype, np.dtype(dtype), casting):
        return
    raise TypeError(
        f"Cannot cast array data from {x.dtype!r} to {np.dtype(dtype)!r}"
        f" according to the rule {casting!r}"
    )
