"""cuFFT. A plan says where the entries of each transform lie; inverse transforms are not divided by
their length.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import fft as transforms

from emulated_cuda.libraries.handles import Handles
from emulated_cuda.libraries.library import Address, DType, Int, Library
from emulated_cuda.libraries.memory import Array, spoil, store, strided, vector

fft = Library("cufft", "libcufft.so.11", unsupported=16, failed=6)
VERSION, WORKSPACE = 11401, 16
FORWARD = -1
# cufftType, as the dtypes of input and output
TYPES = {0x29: ("F", "F"), 0x2A: ("f", "F"), 0x2C: ("F", "f")}
TYPES |= {0x69: ("D", "D"), 0x6A: ("d", "D"), 0x6C: ("D", "d")}


class Layout(NamedTuple):
    """Where the entries of one side lie: how long the axes are in memory (None: as in the array),
    and the two distances.
    """

    embedding: tuple[int, ...] | None
    step: int
    distance: int

    def view(self, pointer: int, dtype: DType, shape: tuple[int, ...], batch: int) -> Array:
        """The transforms, one after the other along the first axis."""
        axes = self.embedding or shape
        step, distance = (self.step, self.distance) if self.embedding else (1, math.prod(shape))
        steps = [step * math.prod(axes[k + 1 :]) for k in range(len(shape))]
        return strided(pointer, dtype, (batch, *shape), (distance, *steps))


NATURAL = Layout(None, 1, 0)


@dataclass
class Plan:
    """What is transformed; nothing until it is made."""

    shape: tuple[int, ...] = ()
    source: Layout = NATURAL
    target: Layout = NATURAL
    kinds: tuple[str, str] = ("", "")
    batch: int = 0

    def stored(self, kind: str) -> tuple[int, ...]:
        """The shape of one side: of a real signal's spectrum, half of the last axis is there."""
        half = kind.isupper() and set(self.kinds) != {kind}
        return (*self.shape[:-1], self.shape[-1] // 2 + 1) if half else self.shape

    def execute(self, source: int, target: int, direction: int) -> None:
        """Transform what lies at an address to another one."""
        kind_in, kind_out = self.kinds
        entries = self.source.view(source, np.dtype(kind_in), self.stored(kind_in), self.batch)
        result = self.transform(entries, direction)
        if kind_out.islower() and len(self.shape) > 1:  # as documented
            spoil(entries)
        self.target.view(target, np.dtype(kind_out), self.stored(kind_out), self.batch)[...] = (
            result
        )

    def transform(self, entries: Array, direction: int) -> Array:
        axes = tuple(range(1, entries.ndim))
        kind_in, kind_out = self.kinds
        if kind_in.islower():
            return np.asarray(transforms.rfftn(entries, axes=axes))
        if kind_out.islower():
            return np.asarray(transforms.irfftn(entries, self.shape, axes, norm="forward"))
        if direction == FORWARD:
            return np.asarray(transforms.fftn(entries, axes=axes))
        return np.asarray(transforms.ifftn(entries, axes=axes, norm="forward"))


handles = Handles(Plan, "i")
fft.routine("cufftCreate")(handles.create)


@fft.routine("cufftDestroy")
def destroy(plan: Int) -> None:
    handles.destroy(plan)


@fft.routine("cufftSetAutoAllocation")
def set_auto_allocation(plan: Int, allocate: Int) -> None:
    handles[plan]


@fft.routine("cufftSetWorkArea", "cufftSetStream")
def set_address(plan: Int, address: Address) -> None:
    handles[plan]


@fft.routine("cufftGetVersion")
def get_version(version: Address) -> None:
    store(version, "i", VERSION)


@fft.routine("cufftMakePlan1d")
def make_plan_1d(plan: Int, n: Int, kind: Int, batch: Int, size: Address) -> None:
    handles.states[plan] = Plan((n,), NATURAL, NATURAL, TYPES[kind], batch)
    store(size, np.uintp, WORKSPACE)


def lengths(pointer: int, dtype: str, rank: int) -> tuple[int, ...] | None:
    """An array of lengths; None where there is none."""
    return tuple(map(int, vector(pointer, dtype, rank))) if pointer else None


@fft.routine("cufftMakePlanMany")
def make_plan_many(
    plan: Int,
    rank: Int,
    n: Address,
    embed_in: Address,
    step_in: Int,
    distance_in: Int,
    embed_out: Address,
    step_out: Int,
    distance_out: Int,
    kind: Int,
    batch: Int,
    size: Address,
) -> None:
    source = Layout(lengths(embed_in, "i", rank), step_in, distance_in)
    target = Layout(lengths(embed_out, "i", rank), step_out, distance_out)
    handles.states[plan] = Plan(lengths(n, "i", rank) or (), source, target, TYPES[kind], batch)
    store(size, np.uintp, WORKSPACE)


@fft.routine("cufftExecC2C", "cufftExecZ2Z")
def execute(plan: Int, source: Address, target: Address, direction: Int) -> None:
    handles[plan].execute(source, target, direction)


@fft.routine("cufftExecR2C", "cufftExecD2Z", "cufftExecC2R", "cufftExecZ2D")
def execute_real(plan: Int, source: Address, target: Address) -> None:
    handles[plan].execute(source, target, FORWARD)
