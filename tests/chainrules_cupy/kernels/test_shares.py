"""The kernel of a maximum's cotangent: NumPy's shares, into what has arrived before."""

import numpy as np
import pytest

from chainrules_cupy.kernels.shares import LONG_ROW, sharing
from chainrules_py import rrule, unthunk

cupy = pytest.importorskip("cupy")
RNG = np.random.default_rng(0)


def numpys(a, values, axes):
    """Shares of the values, by NumPy."""
    tied = a == a.max(axis=axes, keepdims=True)
    return np.where(tied, values / tied.sum(axis=axes, keepdims=True), 0)


def added_to(buffer, a, values, axes):
    """The buffer after the kernel has added to it."""
    on_device = cupy.asarray(a)
    extreme = cupy.max(on_device, axis=axes, keepdims=True)
    found = cupy.asarray(buffer)
    sharing(on_device, extreme, cupy.asarray(values), axes, cupy)(found)
    return found.get()


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("shape", "axes"),
    [((5, 7), (1,)), ((3, 4, 40), (1, 2)), ((33, 1), (1,)), ((70,), (0,)), ((3, 2500), (1,))],
    ids=str,
)
def test_entries_that_are_equal_to_the_largest_share(shape, axes, dtype):
    a = RNG.integers(0, 4, shape).astype(dtype)
    values = RNG.normal(size=a.max(axis=axes, keepdims=True).shape).astype(dtype)
    before = RNG.normal(size=shape).astype(dtype)
    found = added_to(before, a, values, axes)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, before + numpys(a, values, axes), rtol=1e-6, atol=1e-7)


@pytest.mark.gpu
def test_rows_with_nan_share_nothing():
    a = np.array([[1.0, np.nan, 1.0], [2.0, 2.0, 0.0]])
    found = added_to(np.zeros((2, 3)), a, np.ones((2, 1)), (1,))
    np.testing.assert_array_equal(found, [[0, 0, 0], [0.5, 0.5, 0]])


@pytest.mark.gpu
@pytest.mark.parametrize("axis", [1, -1, (1, 2), None], ids=str)
def test_the_rule_has_it_in_one_launch(axis):
    a = RNG.integers(0, 3, (2, 3, 4)).astype(float)
    y, pullback = rrule(np.max, cupy.asarray(a), axis=axis)
    y_bar = cupy.ones_like(y)
    wanted = rrule(np.max, a, axis=axis)[1](np.ones(y.shape))[0]
    np.testing.assert_allclose(unthunk(pullback(y_bar)[0]).get(), unthunk(wanted))


class Described:
    """An array of which no entry is read."""

    def __init__(self, shape, char="d", contiguous=True):
        self.shape, self.ndim = shape, len(shape)
        self.dtype = np.dtype(char)
        self.flags = type("Flags", (), {"c_contiguous": contiguous})


@pytest.mark.parametrize(
    ("a", "axes"),
    [
        (Described((3, 4)), (0,)),
        (Described((3, 4), "e"), (1,)),
        (Described((3, 4), "D"), (1,)),
        (Described((3, 4), contiguous=False), (1,)),
        (Described((2, LONG_ROW + 1)), (1,)),
        (Described((0, 4)), (1,)),
    ],
)
def test_other_arrays_have_no_kernel(a, axes):
    assert sharing(a, None, None, axes, None) is None
