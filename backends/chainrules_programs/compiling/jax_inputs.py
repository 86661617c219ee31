"""Large arrays on their way to XLA: copied by NumPy, into memory that is used again.

JAX reads an array of NumPy's where it stands, if its memory begins at a multiple of 64 bytes.
NumPy's own hardly ever does, and then JAX copies it into new memory: 640 kB in 65 us, where NumPy
copies them in 14.
"""

from typing import Any

import numpy as np

ALIGNED = 64  # bytes
LARGE = 1 << 16  # bytes of an array that is copied; smaller ones JAX copies as fast
Copies = list[tuple[int, Any]]  # numbers of inputs, and the memory for each


class LargeInputs:
    """Memory for the large ones among a program's inputs, each time that of an earlier call.

    Calls from several threads have memory of their own. XLA may read it until the result is there,
    so it is given back afterwards; that of a call that raises is dropped.
    """

    def __init__(self, example: tuple[Any, ...]) -> None:
        self.forms = [
            (k, x.shape, x.dtype)
            for k, x in enumerate(example)
            if isinstance(x, np.ndarray) and x.nbytes >= LARGE
        ]
        self.free: list[Copies] = []

    def copied(self, inputs: tuple[Any, ...]) -> tuple[tuple[Any, ...], Copies]:
        """Return the inputs with copies of the large ones, and these copies."""
        if not self.forms:
            return inputs, []
        try:
            copies = self.free.pop()
        except IndexError:  # the first call, or another thread has it
            copies = [(k, aligned_memory(shape, dtype)) for k, shape, dtype in self.forms]
        given = list(inputs)
        for k, copy in copies:
            copy[...] = given[k]
            given[k] = copy
        return tuple(given), copies

    def give_back(self, copies: Copies) -> None:
        """Keep the memory of a call that has ended for the next one."""
        if copies:
            self.free.append(copies)


def aligned_memory(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Make an array in memory that XLA can read where it stands."""
    size = int(np.prod(shape)) * dtype.itemsize
    memory = np.empty(size + ALIGNED, np.uint8)
    first = -memory.__array_interface__["data"][0] % ALIGNED
    return memory[first : first + size].view(dtype).reshape(shape)
