"""What a program asked of the device: launches, bytes to and from memory, copies, waits."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields

from emulated_cuda.loading import device


@dataclass
class Traffic:
    """Sums over a stretch of a program.

    `loaded` and `stored` are the bytes of all loads and stores; `fetched` and `written` are what a
    device's memory has to move for them, where a cache keeps what a launch has touched until it
    ends.
    """

    launches: int = 0
    loaded: int = 0
    stored: int = 0
    fetched: int = 0
    written: int = 0
    host_to_device: int = 0
    device_to_host: int = 0
    device_to_device: int = 0
    waits: int = 0
    allocations: int = 0
    copied: int = 0
    filled: int = 0

    @property
    def bytes(self) -> int:
        """All bytes that the device's memory has to move for kernels, copies and fills."""
        return self.fetched + self.written + 2 * self.copied + self.filled


@contextmanager
def traffic() -> Iterator[Traffic]:
    """What is done inside the block; the numbers are there when it ends."""
    found, before = Traffic(), totals()
    tracing = ctypes.c_int.in_dll(device(), "emulated_tracing")
    outer, tracing.value = tracing.value, 1
    try:
        yield found
    finally:
        tracing.value = outer
        for counter, value in totals().items():
            setattr(found, counter, value - before[counter])


def totals() -> dict[str, int]:
    """The process's counters."""
    names = [counter.name for counter in fields(Traffic)]
    values = (ctypes.c_uint64 * len(names)).in_dll(device(), "emulated_counts")
    return dict(zip(names, values, strict=True))
