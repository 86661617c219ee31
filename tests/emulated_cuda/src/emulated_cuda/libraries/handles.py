"""What libraries hand out as handles: numbers, and what is known of each."""

from itertools import count
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from emulated_cuda.libraries.memory import store

FIRST = 1  # null is no handle


class Handles:
    """The state of each handle of a library; `dtype` is that of the handle."""

    def __init__(self, dtype: DTypeLike = np.uintp) -> None:
        self.dtype = dtype
        self.numbers = count(FIRST)
        self.states: dict[int, Any] = {}

    def create(self, address: int, state: Any = None) -> None:
        """Write a new handle to an address."""
        number = next(self.numbers)
        self.states[number] = {} if state is None else state
        store(address, self.dtype, number)

    def destroy(self, handle: int) -> None:
        """Forget a handle; one that is not there is an error."""
        del self.states[handle]

    def __getitem__(self, handle: int) -> Any:
        return self.states[handle]
