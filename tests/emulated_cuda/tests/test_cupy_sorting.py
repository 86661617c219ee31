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


# the parameters, the mean and the variance
DISTRIBUTIONS = {
    "random_sample": ((), 1 / 2, 1 / 12),
    "normal": ((1.0, 2.0), 1, 4),
    "lognormal": ((0.0, 0.5), np.exp(1 / 8), (np.exp(1 / 4) - 1) * np.exp(1 / 4)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_random_numbers(name, dtype):
    parameters, mean, variance = DISTRIBUTIONS[name]

    def drawn(seed):
        draw = getattr(cupy.random.RandomState(seed), name)
        return draw(*parameters, size=20_000, dtype=dtype).get()

    numbers = drawn(5)
    assert abs(numbers.mean() - mean) < 5 * np.sqrt(variance / 20_000)
    assert abs(numbers.var() / variance - 1) < 0.1
    np.testing.assert_array_equal(drawn(5), numbers)
    assert (drawn(6) != numbers).any()


def test_random_integers_have_all_bits():
    numbers = cupy.random.RandomState(5).randint(0, 2**32, 20_000, dtype="uint32").get()
    assert abs(numbers.mean() / 2**32 - 0.5) < 0.02
    assert numbers.max() > 0.999 * 2**32


def test_what_has_no_order():
    with pytest.raises(NotImplementedError):
        thrust.sort(np.dtype("U3"), 0, 0, (0,))
    with pytest.raises(TypeError):
        thrust.lexsort(np.dtype("U3"), 0, 0, 1, 0)
