"""CuPy's counterpart of `scipy.linalg` on a device, emulated or not."""

from importlib import import_module

import pytest

from emulated_cuda.c_calls import DTYPES, close, random_array

pytestmark = [pytest.mark.gpu, pytest.mark.parametrize("dtype", DTYPES)]
cupy = pytest.importorskip("cupy")
scipy_linalg = pytest.importorskip("scipy.linalg")


@pytest.fixture
def linalg():
    """Imported when a test runs: without the libraries of the toolkit it cannot be imported."""
    return import_module("cupyx.scipy.linalg")


@pytest.mark.parametrize("trans", [0, 1, 2])
def test_lu_factor_and_solve(linalg, dtype, trans):
    a, b = random_array(dtype, 4, 4), random_array(dtype, 4, 2)
    factors = linalg.lu_factor(cupy.asarray(a))
    close(
        linalg.lu_solve(factors, cupy.asarray(b), trans=trans).get(),
        scipy_linalg.lu_solve(scipy_linalg.lu_factor(a), b, trans),
    )
