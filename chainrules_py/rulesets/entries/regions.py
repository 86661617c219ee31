"""Reading a part of a block of memory, as NumPy's views do; its adjoint adds to that part.

An engine that follows NumPy's views keeps one cotangent for the whole memory. What a view reads
comes back as an `InMemory`, which adds itself into its part of that.
"""

from typing import Any

import numpy as np

from chainrules_py.rulesets.entries.scatter import add_at, admitted
from chainrules_py.tangents import InplaceableThunk, unthunk
from chainrules_py.values.arrays import is_numpys, library_of_types, making


class InMemory(InplaceableThunk):
    """The cotangent of a whole block of memory of which ``part(memory, region)[index]`` was read;
    no index is None.

    Of the engine it asks three things: `part(memory, region, index)`, what to add into and at which
    index; `holds(memory, values)`, whether that memory takes them; and
    `as_buffer(memory, values)`, which takes a plain array over and holds traced values, too.
    """

    __slots__ = ("_engine", "_place", "_values")

    def __init__(self, values, engine, place: tuple[Any, Any, tuple[int, ...], Any]) -> None:
        super().__init__(None, np.add, None, "in_memory")
        self._values, self._engine, self._place = values, engine, place

    def is_in(self, shape: tuple[int, ...], dtype) -> bool:
        """The shape and the dtype are those of the memory."""
        return self._place[2:] == (shape, dtype)

    def fits_into(self, buffer) -> bool:
        """Plain numbers go into a plain array, traced ones into memory that holds them."""
        return bool(self._engine.holds(buffer, self._values))

    def taking(self, buffer) -> Any:
        """A plain array becomes a buffer for traced values, once: that takes whatever else arrives."""
        if self.fits_into(buffer):
            return buffer
        return self._engine.as_buffer(buffer, self._values) if is_numpys(buffer) else None

    def _evaluate(self) -> Any:
        memory = self.memory()
        return memory if is_numpys(memory) else memory.resolved()

    def _release(self) -> None:
        super()._release()
        self._values = None

    def memory(self) -> Any:
        """The value in memory that nobody else holds, and that can be written to."""
        memory = self.taking(self.zeros())
        self.add_into(memory)
        return memory

    def add_into(self, buffer) -> None:
        """Add into the part that was read."""
        values, (region, index) = self._values, self._place[:2]
        if self.forced:
            buffer += unthunk(self)
            return
        target, index = self._engine.part(buffer, region, index)
        values = admitted(values, target.dtype)
        if index is None:
            target += values
        elif is_numpys(target):
            add_at(target, index, values, library_of_types((type(target),)).namespace)
        else:
            np.add.at(target, index, values)

    def zeros(self) -> Any:
        """Zeros of the shape and dtype of the memory."""
        return making.made(np.zeros, *self._place[2:])
