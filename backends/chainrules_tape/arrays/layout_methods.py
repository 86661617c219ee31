"""Methods of arrays whose result lies elsewhere in memory, or in another order, than that of
NumPy's function of the same name.

``x.copy()`` has the order of C where ``np.copy(x)`` has that of `x`; ``x.flatten()`` is
``np.ravel(x)``, but never a view; ``x.conj()`` of real numbers is `x`, and ``np.conj(x)`` is a
copy; ``x.astype`` takes an order. Code that writes can tell.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_tape.arrays.fast_dispatch import method_of
from chainrules_tape.arrays.protocols import Operation
from chainrules_tape.core.levels import call
from chainrules_tape.refusals.handles import TracedArray, plain

Method = Callable[..., Any]


def layout_methods(function: Operation) -> dict[str, Method]:
    """These methods of a class of handles, whose functions and other methods are called by
    `function`.
    """
    astype_in_own_order = method_of("astype", function)
    ravel = method_of("ravel", function)
    conjugated = {name: method_of(name, function) for name in ("conj", "conjugate")}

    def copy(self: TracedArray, order: str = "C") -> Any:
        value = self.value
        is_c = type(value) is np.ndarray and value.flags.c_contiguous  # nearly always
        options = {} if (is_c and order == "C") or is_in_order(self, order) else {"order": order}
        return function(self, np.copy, (), (self,), options)

    def flatten(self: TracedArray, order: str = "C") -> Any:
        return with_own_memory(ravel(self, order=order))

    def astype(
        self: TracedArray,
        dtype: Any,
        order: str = "K",
        casting: Any = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Any:
        if casting != "unsafe":
            require_cast(self, dtype, casting)
        if order == "K":
            return (
                astype_in_own_order(self, dtype)
                if copy
                else astype_in_own_order(self, dtype, copy=False)
            )
        return call(
            np.array, (self,), {"dtype": dtype, "order": order, "copy": True if copy else None}
        )

    def conjugate_by(method: Method) -> Method:
        return lambda self: method(self) if plain(self).dtype.kind == "c" else self

    found: dict[str, Method] = {"copy": copy, "flatten": flatten, "astype": astype}
    for name, method in found.items():
        method.__doc__ = f"As ``numpy.ndarray.{name}``."
    return {**found, **{name: conjugate_by(method) for name, method in conjugated.items()}}


def with_own_memory(x: Any) -> Any:
    """A value that shares no memory with another: a handle on a copy, at the place of the one on a
    view.
    """
    if type(x) is np.ndarray:
        return x if x.base is None else x.copy()
    if not issubclass(type(x), TracedArray):
        return x
    if x.is_stored:  # it was found to be a view of what was written to
        return x.settled()
    value = with_own_memory(x.value)
    if value is x.value:
        return x
    made: Any = object.__new__(type(x))
    made.value, made.level = value, x.level
    for name in type(x).__slots__:
        setattr(made, name, getattr(x, name))
    return made


def is_in_order(x: TracedArray, order: str) -> bool:
    """Whether a copy in this order is one in the order that the array has."""
    value = plain(x)
    return (
        order == "K" or type(value) is not np.ndarray or (order == "C" and value.flags.c_contiguous)
    )


def require_cast(x: Any, dtype: Any, casting: Any) -> None:
    """Raise NumPy's error for a cast to a dtype that this kind of casting does not allow."""
    if not np.can_cast(x.dtype, np.dtype(dtype), casting):
        raise TypeError(
            f"Cannot cast array data from {x.dtype!r} to {np.dtype(dtype)!r} according to the rule"
            f" {casting!r}"
        )
