"""Calls of the emulated libraries as C makes them, on NumPy's arrays: what the tests of the
libraries share.
"""

import ctypes

import numpy as np

DTYPES = ("float32", "float64", "complex64", "complex128")
TOLERANCES = {
    "float16": 2e-2,
    "float32": 2e-4,
    "float64": 1e-10,
    "complex64": 2e-4,
    "complex128": 1e-10,
}


def status_of(library, symbol, *arguments):
    """What a symbol returns. Arrays are passed by address; an int8 array of 1 entry serves for a
    letter.
    """
    return ctypes.c_int(library.callback(symbol)(*map(as_c, arguments))).value


def call(library, symbol, *arguments):
    """Call a symbol that has to succeed."""
    assert status_of(library, symbol, *arguments) == 0, symbol


def as_c(value):
    return value.ctypes.data if isinstance(value, np.ndarray) else value


def random_array(dtype, *shape, seed=0):
    """Normal numbers."""
    rng = np.random.default_rng((seed, *shape))
    numbers = rng.normal(size=shape)
    return (
        numbers + 1j * rng.normal(size=shape) if np.dtype(dtype).kind == "c" else numbers
    ).astype(dtype)


def number(value, dtype):
    """A number in memory."""
    return np.array([value], dtype)


def close(got, wanted):
    """Hold numbers against others of the same dtype."""
    tolerance = TOLERANCES[str(got.dtype)]
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)
