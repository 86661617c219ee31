"""CuPy's counterpart of `scipy.linalg` on a device, emulated or not."""

from importlib import import_module

import numpy as np
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


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
def test_lu(linalg, dtype, shape):
    a = random_array(dtype, *shape)
    for got, wanted in zip(linalg.lu(cupy.asarray(a)), scipy_linalg.lu(a), strict=True):
        close(got.get().astype(dtype), wanted.astype(dtype))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize("unit", [False, True])
def test_solve_triangular(linalg, dtype, lower, trans, unit):
    a, b = random_array(dtype, 4, 4) + 4 * np.eye(4, dtype=dtype), random_array(dtype, 4, 2)
    options = dict(lower=lower, trans=trans, unit_diagonal=unit)
    close(
        linalg.solve_triangular(cupy.asarray(a), cupy.asarray(b), **options).get(),
        scipy_linalg.solve_triangular(a, b, **options),
    )


def test_expm(linalg, dtype):
    a = random_array(dtype, 4, 4)
    close(linalg.expm(cupy.asarray(a)).get(), scipy_linalg.expm(a))
