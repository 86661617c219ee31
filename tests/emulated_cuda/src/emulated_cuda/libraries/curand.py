"""cuRAND: the same distributions, and not the same sequences.

A sequence is given by seed and offset.
"""

import ctypes
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from emulated_cuda.libraries.handles import Handles
from emulated_cuda.libraries.library import Address, DType, Library, Size
from emulated_cuda.libraries.memory import store, vector

rand = Library("curand", "libcurand.so.10", unsupported=201, failed=999)
VERSION = 10310


@dataclass
class State:
    """A generator of NumPy's, made anew where a seed or an offset is set."""

    seed: int = 0
    offset: int = 0
    numbers: np.random.Generator = field(default_factory=lambda: np.random.default_rng((0, 0)))

    def restart(self) -> None:
        self.numbers = np.random.default_rng((self.seed, self.offset))


handles = Handles(State)
rand.routine("curandCreateGenerator")(handles.create)
rand.routine("curandDestroyGenerator")(handles.destroy)


@rand.routine("curandGetVersion")
def get_version(version: Address) -> None:
    store(version, "i", VERSION)


@rand.routine("curandSetStream")
def set_stream(generator: Address, stream: Address) -> None:
    handles[generator]


@rand.routine("curandSetPseudoRandomGeneratorSeed")
def set_seed(generator: Address, seed: Size) -> None:
    handles[generator].seed = seed
    handles[generator].restart()


@rand.routine("curandSetGeneratorOffset")
def set_offset(generator: Address, offset: Size) -> None:
    handles[generator].offset = offset
    handles[generator].restart()


@rand.routine("curandGenerate")
def generate(generator: Address, target: Address, count: Size) -> None:
    numbers = handles[generator].numbers
    vector(target, "u4", count)[...] = numbers.integers(2**32, size=count, dtype="u4")


@rand.over("curandGenerateUniform{}", **{"": "f", "Double": "d"})
def generate_uniform(dtype: DType, generator: Address, target: Address, count: Size) -> None:
    # 1 is among them, 0 is not
    vector(target, dtype, count)[...] = 1 - handles[generator].numbers.random(count, dtype)


def draw_as(symbol: str, method: str, dtype: str, c_type: Any) -> None:
    """Say that a symbol draws by a method of NumPy's generators; its parameters are C's `c_type`."""
    real = Annotated[float, c_type]

    @rand.routine(f"curandGenerate{symbol}")
    def generate_real(
        generator: Address, target: Address, count: Size, mean: real, deviation: real
    ) -> None:
        draw = getattr(handles[generator].numbers, method)
        vector(target, dtype, count)[...] = draw(mean, deviation, count)


for _symbol in ("Normal", "LogNormal"):
    draw_as(_symbol, _symbol.lower(), "f", ctypes.c_float)
    draw_as(f"{_symbol}Double", _symbol.lower(), "d", ctypes.c_double)
