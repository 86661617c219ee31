"""Fourier transforms of real and complex entries, on tensors and by NumPy, with all options."""

import numpy as np
import pytest

from chainrules_torch.arrays import fourier
from stand_ins.tensor_calls import both, call, require_agreement

X = np.cos(np.arange(24.0)).reshape(2, 3, 4)
Z = X + 1j * np.sin(X)
ALONG_ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
OVER_TWO = ("fft2", "ifft2", "rfft2", "irfft2")
OVER_ALL = ("fftn", "ifftn", "rfftn", "irfftn")
SHIFTS = ("fftshift", "ifftshift")
TAKES_REAL = ("rfft", "ihfft", "rfft2", "rfftn")
CALLS = [
    *(
        call(f"fft.{name}", X if name in TAKES_REAL else Z, **options)
        for name in ALONG_ONE
        for options in (
            {},
            {"n": 3},
            {"n": 6, "axis": 1},
            {"norm": "ortho"},
            {"norm": "forward"},
            {"n": 0},
        )
    ),
    *(
        call(f"fft.{name}", X if name in TAKES_REAL else Z, **options)
        for name in (*OVER_TWO, *OVER_ALL)
        for options in ({}, {"s": (2, 5), "axes": (0, 1)}, {"axes": (1,)}, {"norm": "ortho"})
    ),
    *(
        call(f"fft.{name}", X, **options)
        for name in SHIFTS
        for options in ({}, {"axes": 1}, {"axes": (0, 2)})
    ),
]


@pytest.mark.parametrize("made", CALLS, ids=str)
def test_it_is_numpys(made):
    require_agreement(made)


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64"])
@pytest.mark.parametrize("name", ["fft", "ifft2", "fftn", "hfft"])
def test_dtypes_are_numpys(name, dtype):
    require_agreement(call(f"fft.{name}", 4 * X).of_dtype(dtype))


def test_one_axis_twice_is_refused():
    with pytest.raises(TypeError, match="an axis twice"):
        raise both(call("fft.fftn", Z, axes=(0, 0)))[0]


def test_every_function_is_here():
    assert {f"fft.{name}" for name in fourier.FFT} <= {made.name for made in CALLS}
