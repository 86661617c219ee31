"""CuPy's Fourier transforms on a device, emulated or not, against NumPy's: all axes, lengths, norms
and layouts.
"""

import numpy as np
import pytest

from emulated_cuda.c_calls import DTYPES, TOLERANCES, random_array

pytestmark = [pytest.mark.gpu, pytest.mark.parametrize("dtype", DTYPES)]
cupy = pytest.importorskip("cupy")
NORMS = ("backward", "ortho", "forward")


def check(function, x, given=None, **options):
    given = cupy.asarray(x) if given is None else given
    got = getattr(cupy.fft, function)(given, **options).get()
    np.testing.assert_array_equal(given.get(), x)
    wanted = getattr(np.fft, function)(x, **options)
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    tolerance = TOLERANCES[str(got.dtype)]
    np.testing.assert_allclose(
        got, wanted, rtol=tolerance, atol=tolerance * max(1, abs(wanted).max(initial=0))
    )


def functions(dtype, names):
    """Those that take such numbers."""
    return [
        name for name in names if not (name.startswith(("r", "ih")) and np.dtype(dtype).kind == "c")
    ]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_one_axis(dtype, axis, norm):
    for function in functions(dtype, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")):
        check(function, random_array(dtype, 6, 7, 5), axis=axis, norm=norm)


@pytest.mark.parametrize("n", [1, 2, 4, 9])
def test_other_lengths(dtype, n):
    for function in functions(dtype, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")):
        check(function, random_array(dtype, 3, 6), n=n)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("axes", [None, (0, 1), (1, 2), (-1, 0), (2,), (2, 1, 0)])
def test_several_axes(dtype, axes, norm):
    for function in functions(dtype, ("fftn", "ifftn", "rfftn", "irfftn")):
        check(function, random_array(dtype, 4, 5, 6), axes=axes, norm=norm)


@pytest.mark.parametrize("order", ["F", "strided", "transposed"])
def test_layouts(dtype, order):
    x = random_array(dtype, 6, 8)
    y = cupy.array(x, order="F" if order == "F" else "C")
    views = {"strided": lambda z: z[::2, 1::2], "transposed": lambda z: z.T}.get(order, lambda z: z)
    for function in functions(dtype, ("fft", "fftn", "rfft", "rfftn", "irfftn")):
        check(function, views(x), views(y))
