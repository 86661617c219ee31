"""A matrix product that has not been multiplied out is the product, in fewer operations."""

import numpy as np
import pytest

from chainrules_py import unthunk
from chainrules_py.projection.broadcasting import unbroadcast_product
from chainrules_py.tangents import MatrixProduct

rng = np.random.default_rng(0)


def product(*stack, dtype="d"):
    return MatrixProduct(rng.normal(size=(*stack, 6, 2)).astype(dtype), rng.normal(size=(*stack, 2, 3)).astype(dtype))


def summed(wide, shape):
    """The sum over the axes that broadcasting from `shape` to the shape of `wide` added."""
    new = wide.ndim - len(shape)
    axes = tuple(range(new)) + tuple(k for k in range(new, wide.ndim) if shape[k - new] != wide.shape[k])
    return wide.sum(axis=axes, keepdims=True).reshape(shape)


@pytest.mark.parametrize("dtype", ["d", "f"])
def test_it_is_the_product(dtype):
    lazy = product(4, dtype=dtype)
    left, right = lazy.factors
    assert lazy.is_in((4, 6, 3), np.dtype(dtype))
    assert not lazy.is_in((4, 6, 2), np.dtype(dtype))
    value = unthunk(lazy)
    assert (value.shape, value.dtype) == (lazy.shape, lazy.dtype)
    np.testing.assert_array_equal(value, left @ right)
    np.testing.assert_array_equal(lazy + 1.0, value + 1.0)
    assert lazy.factors is None


ROWS = [(4, 1, 3), (1, 3), (3,), (1, 1, 3), (4, 1, 1), (1,), ()]
OTHERS = [(4, 6, 1), (6, 3), (1, 6, 3), (4, 6, 3), (6, 1)]


@pytest.mark.parametrize("shape", ROWS + OTHERS, ids=str)
@pytest.mark.parametrize("forced", [False, True])
def test_sums_over_its_rows_need_no_product(shape, forced):
    lazy = product(4)
    left, right = lazy.factors
    if forced:
        unthunk(lazy)
    found = unbroadcast_product(lazy, shape)
    assert found.shape == shape
    np.testing.assert_allclose(found, summed(left @ right, shape), rtol=1e-12)
    assert lazy.forced == (forced or shape in OTHERS)
