"""Reading a part of a block of memory, as NumPy's views do; its adjoint adds to that part.

An engine that follows NumPy's views keeps one cotangent for the whole memory. What a view reads comes back as an `InMemory`,
which adds itself into its part of that.
"""

from typing import Any

import numpy as np

from chainrules_py.rulesets.entries.scatter import add_at, admitted
from chainrules_py.tangents import InplaceableThunk, unthunk


class InMemory(InplaceableThunk):
    """The cotangent of a whole block of memory of which ``part(memory, region)[index]`` was read; no index is None."""

    __slots__ = ("_part", "_place", "_values")

    def __init__(self, values: Any, part: Any, place: tuple[Any, Any, tuple[int, ...], Any]) -> None:
        super().__init__(np.add, None, None, "in_memory")
        self._values, self._part, self._place = values, part, place

    def is_in(self, shape: tuple[int, ...], dtype: Any) -> bool:
        """The shape and the dtype are those of the memory."""
        return self._place[2:] == (shape, dtype)

    def fits_into(self, buffer: Any) -> bool:
        """Plain numbers go into a plain array."""
        return type(buffer) is np.ndarray and type(self._values) in (np.ndarray, np.float64)

    def _evaluate(self) -> Any:
        memory = self.zeros()
        self._add(memory)
        return memory

    def _release(self) -> None:
        super()._release()
        self._values = None

    def _add(self, memory: Any) -> None:
        region, index = self._place[:2]
        target = self._part(memory, region)
        values = admitted(self._values, target.dtype)
        if index is None:
            target += values
        else:
            add_at(target, index, values, np)

    def add_into(self, buffer: Any) -> None:
        """Add into the part that was read."""
        if self.forced:
            buffer += unthunk(self)
        else:
            self._add(buffer)

    def zeros(self) -> Any:
        """Zeros of the shape and dtype of the memory."""
        return np.zeros(*self._place[2:])
