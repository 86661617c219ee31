"""What CuPy sorts on a device, emulated or not, and the random numbers that it draws there."""

import numpy as np
import pytest

from emulated_cuda.libraries import thrust

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")
DTYPES = (
    "bool",
    "int8",
    "int64",
    "uint32",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)


def numbers(dtype, *shape):
    x = np.random.default_rng(0).integers(-5, 5, shape).astype(float)
    if np.dtype(dtype).kind in "fc":
        x.flat[::5] = np.nan
    return (x if np.dtype(dtype).kind in "fci" else abs(x)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_sort(dtype, axis):
    x = numbers(dtype, 6, 7)
    np.testing.assert_array_equal(cupy.sort(cupy.asarray(x), axis).get(), np.sort(x, axis))
    np.testing.assert_array_equal(
        cupy.argsort(cupy.asarray(x), axis).get(), np.argsort(x, axis, kind="stable")
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_by_keys(dtype):
    keys = numbers(dtype, 3, 30)
    np.testing.assert_array_equal(cupy.lexsort(cupy.asarray(keys)).get(), np.lexsort(keys))


def test_random_numbers():
    state = cupy.random.RandomState(5)
    uniform, normal = state.random_sample(20_000).get(), state.normal(2, 3, 20_000).get()
    assert abs(uniform.mean() - 0.5) < 0.02
    assert abs(normal.mean() - 2) < 0.15
    assert abs(normal.std() - 3) < 0.15
    assert set(state.randint(0, 4, 200).tolist()) == {0, 1, 2, 3}
    np.testing.assert_array_equal(cupy.random.RandomState(5).random_sample(20_000).get(), uniform)


def test_what_has_no_order():
    with pytest.raises(NotImplementedError):
        thrust.sort(np.dtype("U3"), 0, 0, (0,))
    with pytest.raises(TypeError):
        thrust.lexsort(np.dtype("U3"), 0, 0, 1, 0)
