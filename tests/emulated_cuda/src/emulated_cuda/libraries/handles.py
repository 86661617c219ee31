"""What libraries hand out as handles: numbers, and what is known of each."""

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from emulated_cuda.libraries.library import Address
from emulated_cuda.libraries.memory import store

FIRST = 1  # null is no handle


class Handles:
    """The state of each handle of a library, as `make` makes it; `dtype` is that of the handle."""

    def __init__(self, make: Callable[[], Any] = dict, dtype: DTypeLike = np.uintp) -> None:
        self.make, self.dtype = make, dtype
        self.numbers = count(FIRST)
        self.states: dict[int, Any] = {}

    def create(self, address: Address) -> None:
        """Write a new handle to an address."""
        number = next(self.numbers)
        self.states[number] = self.make()
        store(address, self.dtype, number)

    def destroy(self, handle: Address) -> None:
        """Forget a handle; one that is not there is an error."""
        del self.states[handle]

    def __getitem__(self, handle: int) -> Any:
        return self.states[handle]
