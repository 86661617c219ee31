"""Methods that give plain values, in code that is seen through: ``x.item()`` and ``x.tolist()``."""

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

import numpy as np

from chainrules_py.introspection import frame_above
from chainrules_tape.arrays.behaviour import ArrayBehaviour
from chainrules_tape.arrays.handles import DualArray, DualNumber, TapeArray, TapeNumber
from chainrules_tape.foreign_code.conversions import traced_number
from chainrules_tape.numpy.rounding import seen_round, seen_rounding
from chainrules_tape.numpy.steps import of_integers
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.instrumented_packages import is_seen_through


def item(x: Any, *index: Any) -> Any:
    """The one entry, or that at an index, as a traced number."""
    if not index and x.size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    if len(index) == 1:
        return item(x[index[0]] if isinstance(index[0], tuple) else np.ravel(x)[index[0]])
    return traced_number(x[index] if index else x, x.dtype)


def tolist(x: Any) -> Any:
    """Nested lists of traced numbers, and of plain ones."""
    if x.ndim:
        return [tolist(part) for part in x]
    return traced_number(x, x.dtype) if issubclass(type(x), TracedArray) else x.item()


def seen_method(name: str, traced: Callable[..., Any]) -> Callable[..., Any]:
    """The method that takes what is traced where its caller is seen through, and is what it was
    everywhere else.
    """
    otherwise = getattr(ArrayBehaviour, name)

    def method(self: Any, *args: Any, **options: Any) -> Any:
        chosen = traced if is_seen_through(frame_above(1)) else otherwise
        return chosen(self, *args, **options)

    method.__name__, method.__doc__ = (
        name,
        f"As ``numpy.ndarray.{name}``, in code that is seen through.",
    )
    return method


def seen_astype(otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """``x.astype(dtype)``, which cuts off digits where the dtype is one of integers."""

    def astype(self: Any, dtype: Any, *args: Any, **options: Any) -> Any:
        convert = partial(otherwise, self, dtype, *args, **options)
        if np.dtype(dtype).kind not in "iu":
            return convert()
        return of_integers(self, convert, calling_frame(), "x.astype(int)")

    return update_wrapper(astype, otherwise)


for _cls in (TapeArray, TapeNumber, DualArray, DualNumber):
    _cls.round = seen_rounding(_cls.round)  # type: ignore[union-attr]
    _cls.astype = seen_astype(_cls.astype)  # type: ignore[union-attr]
ArrayBehaviour.__round__ = seen_round(ArrayBehaviour.__round__)  # type: ignore[attr-defined]
for _name, _traced in (("item", item), ("tolist", tolist)):
    setattr(ArrayBehaviour, _name, seen_method(_name, _traced))
