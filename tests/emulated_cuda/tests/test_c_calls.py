"""What no call of CuPy reaches: statuses of refusals, and what a transform leaves behind."""

import math

import numpy as np
import pytest

from emulated_cuda.c_calls import call, close, number, random_array, status_of
from emulated_cuda.libraries.cublas import blas
from emulated_cuda.libraries.cufft import fft
from emulated_cuda.libraries.cusolver import solver
from emulated_cuda.libraries.cusolver.context import INVALID_VALUE

TO_REAL = 0x6C


@pytest.mark.parametrize("shape", [(7,), (4, 6)])
def test_of_several_axes_a_real_result_destroys_its_spectrum(shape):
    x = random_array("float64", *shape)
    spectrum, back = np.fft.rfftn(x), np.zeros_like(x)
    plan, size, lengths = number(0, "i"), number(0, np.uintp), np.array(shape, "i")
    call(fft, "cufftCreate", plan)
    natural = (0, 0, 0)
    kinds = *natural, *natural, TO_REAL, 1, size
    call(fft, "cufftMakePlanMany", int(plan[0]), len(shape), lengths, *kinds)
    call(fft, "cufftExecZ2D", int(plan[0]), spectrum, back)
    close(back, math.prod(shape) * x)
    assert np.isnan(spectrum).all() == (len(shape) > 1)


ONE, WHOLE = number(1, "i"), (0, 3, 1)
REFUSED = {
    "a flat matrix": (solver, "Dgesvd", (b"A", b"A", 3, 5, *(0, 3) * 4, 0, 0, 0), INVALID_VALUE),
    "a large one of many": (
        *(solver, "DgesvdjBatched", (1, 33, 1, 0, 33, 0, 0, 33, 0, 1, 0, 0, 0, 0, 1)),
        INVALID_VALUE,
    ),
    "no pivots": (blas, "DgetrfBatched", (3, 0, 5, 0, 0, 1), blas.failed),
    "no pivots of one": (solver, "Dgetrf", (3, 3, 0, 3, 0, 0, 0), solver.failed),
    "no handle": (blas, "Destroy_v2", (), blas.failed),
    "whole numbers": (
        *(blas, "GemmEx", (0, 0, 1, 1, 1, ONE, *WHOLE, *WHOLE, ONE, *WHOLE, 68, -1)),
        blas.unsupported,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_statuses(name):
    library, routine, arguments, status = REFUSED[name]
    prefix = "cusolverDn" if library is solver else "cublas"
    assert status_of(library, prefix + routine, 0, *arguments) == status
