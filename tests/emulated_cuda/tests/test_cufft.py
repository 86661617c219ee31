"""The emulated cuFFT where what it leaves behind shows; its numbers `test_cupy_fft` checks."""

import math

import numpy as np
import pytest

from emulated_cuda.c_calls import call, close, number, random_array
from emulated_cuda.libraries.cufft import fft

TYPES = {"f": 0, "d": 0x40}  # what is added to the types of single precision
SHAPES = [(7,), (4, 6)]


def made_plan(symbol, *arguments):
    """A handle; a plan is made of it."""
    handle, size = number(0, "i"), number(0, np.uintp)
    call(fft, "cufftCreate", handle)
    call(fft, "cufftSetAutoAllocation", int(handle[0]), 0)
    call(fft, symbol, int(handle[0]), *arguments, size)
    call(fft, "cufftSetWorkArea", int(handle[0]), 0)
    return int(handle[0])


def plan_of_many(shape, kind, batch, embed_in=None, embed_out=None):
    n = np.array(shape, "i")
    sides = [
        (0, 0, 0) if embed is None else (np.array(embed[0], "i"), *embed[1:])
        for embed in (embed_in, embed_out)
    ]
    return made_plan("cufftMakePlanMany", len(shape), n, *sides[0], *sides[1], kind, batch)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("real", TYPES)
def test_real(real, shape):
    x = random_array(real, 3, *shape)
    half = (*shape[:-1], shape[-1] // 2 + 1)
    y, back, axes = np.zeros((3, *half), real.upper()), np.zeros_like(x), tuple(range(1, x.ndim))
    call(
        fft,
        "cufftExecR2C" if real == "f" else "cufftExecD2Z",
        plan_of_many(shape, 0x2A + TYPES[real], 3),
        x,
        y,
    )
    close(y, np.fft.rfftn(x, axes=axes))
    call(
        fft,
        "cufftExecC2R" if real == "f" else "cufftExecZ2D",
        plan_of_many(shape, 0x2C + TYPES[real], 3),
        y,
        back,
    )
    close(back, math.prod(shape) * x)
    # of several axes, this transform destroys what it is given
    assert np.isnan(y).all() == (len(shape) > 1)
