"""The emulated cuFFT: every type and layout, against numpy.fft, whose inverse is divided by the
length.
"""

import math

import numpy as np
import pytest

from emulated_cuda.c_calls import call, close, number, random_array
from emulated_cuda.libraries.cufft import fft

FORWARD, INVERSE = -1, 1
TYPES = {"f": 0, "d": 0x40}  # what is added to the types of single precision
SHAPES = [(8,), (7,), (4, 6), (3, 4, 5), (1,), (2, 1)]


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
def test_complex(real, shape):
    x = random_array(real.upper(), 3, *shape)
    y, plan = np.zeros_like(x), plan_of_many(shape, 0x29 + TYPES[real], 3)
    axes = tuple(range(1, x.ndim))
    execute = "cufftExecC2C" if real == "f" else "cufftExecZ2Z"
    call(fft, execute, plan, x, y, FORWARD)
    close(y, np.fft.fftn(x, axes=axes))
    call(fft, execute, plan, y, y, INVERSE)  # in place
    close(y, math.prod(shape) * x)
    call(fft, "cufftDestroy", plan)


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


def test_one_axis():
    x = random_array("D", 3, 8)
    y = np.zeros_like(x)
    call(fft, "cufftExecZ2Z", made_plan("cufftMakePlan1d", 8, 0x69, 3), x, y, FORWARD)
    close(y, np.fft.fft(x))


def test_the_first_axis():
    """As CuPy transforms it: a step of the length of the other one, and 1 from one transform to the
    next.
    """
    x = random_array("D", 6, 5)
    y = np.zeros_like(x)
    call(fft, "cufftExecZ2Z", plan_of_many((6,), 0x69, 5, ([6], 5, 1), ([6], 5, 1)), x, y, FORWARD)
    close(y, np.fft.fft(x, axis=0))


def test_a_part_of_an_array():
    x = random_array("d", 2, 4, 6)
    y = np.zeros((2, 3, 4), "D")
    call(fft, "cufftExecD2Z", plan_of_many((3, 5), 0x6A, 2, ([4, 6], 1, 24), ([3, 4], 1, 12)), x, y)
    close(y[..., :3], np.fft.rfftn(x[:, :3, :5], axes=(1, 2)))
    np.testing.assert_array_equal(y[..., 3], 0)
