"""Arithmetic on buffers while packages are seen through: ``np.ones(3) * np.nan`` is one, too, which takes traced values.

Elsewhere such a result is a plain array, as no program writes `numpy.ones` of ours by chance.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_tape.arrays.behaviour import BINARY, UNARY
from chainrules_tape.core.seen import packages
from chainrules_tape.in_place.storages import StoredArray, StoredDual, as_buffer


def giving_buffers(operation: Callable[..., Any]) -> Callable[..., Any]:
    """An operation of buffers, whose plain results are buffers while a package is seen through."""

    def operate(self: Any, *args: Any, **options: Any) -> Any:
        y = operation(self, *args, **options)
        return as_buffer(y) if packages and type(y) is np.ndarray else y

    return operate


for _cls in (StoredArray, StoredDual):
    for _name in (*(f"__{name}__" for name in (*BINARY, *(f"r{name}" for name in BINARY), *UNARY)), "__array_ufunc__"):
        setattr(_cls, _name, giving_buffers(getattr(_cls, _name)))
