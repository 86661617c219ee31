"""What a program asked of the device: launches, bytes to and from memory, copies, waits."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields

from emulated_cuda.loading import device


@dataclass
class Counts:
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


@dataclass
class Traffic(Counts):
    """The sums, and each kernel's part in them, by its name."""

    kernels: dict[str, Counts] = field(default_factory=dict)


BY_KERNEL = ("launches", "loaded", "stored", "fetched", "written")


class Kernel(ctypes.Structure):
    """The driver's record of a kernel, as device.h lays it out."""


Kernel._fields_ = [
    ("name", ctypes.c_char_p),
    ("entry", ctypes.c_void_p),
    ("static_shared", ctypes.c_uint32),
    ("together", ctypes.c_int),
    ("launches", ctypes.c_uint64),
    ("loaded", ctypes.c_uint64),
    ("stored", ctypes.c_uint64),
    ("fetched", ctypes.c_uint64),
    ("written", ctypes.c_uint64),
    ("next", ctypes.POINTER(Kernel)),
    ("parameters", ctypes.c_void_p),
]


@contextmanager
def traffic() -> Iterator[Traffic]:
    """What is done inside the block; the numbers are there when it ends.

    A kernel that was compiled twice, for two modules, is one here.
    """
    found, before, kernels_before = Traffic(), totals(), by_kernel()
    tracing = ctypes.c_int.in_dll(device(), "emulated_tracing")
    outer, tracing.value = tracing.value, 1
    try:
        yield found
    finally:
        tracing.value = outer
        for counter, value in totals().items():
            setattr(found, counter, value - before[counter])
        found.kernels |= differences(by_kernel(), kernels_before)


def totals() -> dict[str, int]:
    """The process's counters."""
    names = [counter.name for counter in fields(Counts)]
    values = (ctypes.c_uint64 * len(names)).in_dll(device(), "emulated_counts")
    return dict(zip(names, values, strict=True))


def by_kernel() -> dict[str, Counts]:
    """What each kernel has done since the process began."""
    found: dict[str, Counts] = {}
    at = ctypes.POINTER(Kernel).in_dll(device(), "emulated_kernels")
    while at:
        kernel = at.contents
        counts = found.setdefault(kernel.name.decode(), Counts())
        counts.launches += kernel.launches
        counts.loaded += kernel.loaded
        counts.stored += kernel.stored
        counts.fetched += kernel.fetched
        counts.written += kernel.written
        at = kernel.next
    return found


def differences(after: dict[str, Counts], before: dict[str, Counts]) -> dict[str, Counts]:
    """Of the kernels that were launched in between."""
    found = {}
    for name, now in after.items():
        then = before.get(name, Counts())
        counts = Counts(**{name: getattr(now, name) - getattr(then, name) for name in BY_KERNEL})
        if counts.launches:
            found[name] = counts
    return found
