"""``x.flat``: the entries of an array in their order, to be read, and to be assigned to."""

from collections.abc import Iterator
from typing import Any

import numpy as np


class Flat:
    """The entries of a traced array one after the other; what is assigned and too short is repeated, as NumPy does."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __len__(self) -> int:
        return int(self.array.size)

    def __iter__(self) -> Iterator[Any]:
        return (self[position] for position in range(len(self)))

    def positions(self, index: Any) -> Any:
        """The positions that an index of the flat array selects; one or a slice at the cost of what it selects."""
        whole = range(len(self))
        return whole[index] if isinstance(index, int | np.integer | slice) else np.arange(len(self))[index]

    def __getitem__(self, index: Any) -> Any:
        return self.array[np.unravel_index(self.positions(index), self.array.shape)]

    def __setitem__(self, index: Any, values: Any) -> None:
        np.put(self.array, self.positions(index), values)


def assign(array: Any, values: Any) -> None:
    """Write all entries, ``x.flat = values``."""
    Flat(array)[:] = values


flat = property(Flat, assign)
