"""A matrix product that has not been multiplied out is the product, in fewer operations."""

import weakref

import numpy as np
import pytest

from chainrules_py import unthunk
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.tangents import MatrixProduct

rng = np.random.default_rng(0)


def factors(*stack, dtype="d"):
    return rng.normal(size=(*stack, 6, 2)).astype(dtype), rng.normal(size=(*stack, 2, 3)).astype(
        dtype
    )


def summed(wide, shape):
    """The sum over the axes that broadcasting from `shape` to the shape of `wide` added."""
    new = wide.ndim - len(shape)
    axes = tuple(range(new)) + tuple(
        k for k in range(new, wide.ndim) if shape[k - new] != wide.shape[k]
    )
    return wide.sum(axis=axes, keepdims=True).reshape(shape)


@pytest.mark.parametrize("dtype", ["d", "f"])
def test_it_is_the_product(dtype):
    left, right = factors(4, dtype=dtype)
    lazy = MatrixProduct(left, right)
    assert lazy.is_in((4, 6, 3), np.dtype(dtype))
    assert not lazy.is_in((4, 6, 2), np.dtype(dtype))
    value = unthunk(lazy)
    assert (value.shape, value.dtype) == (lazy.shape, lazy.dtype)
    np.testing.assert_array_equal(value, left @ right)
    np.testing.assert_array_equal(lazy + 1.0, value + 1.0)


def test_factors_are_let_go_of_when_they_have_been_multiplied():
    left, right = factors()
    kept, lazy = weakref.ref(left), MatrixProduct(left, right)
    unthunk(lazy)
    del left
    assert kept() is None


ROWS = [(4, 1, 3), (1, 3), (3,), (1, 1, 3), (4, 1, 1), (1,), ()]
OTHERS = [(4, 6, 1), (6, 3), (1, 6, 3), (4, 6, 3), (6, 1)]


@pytest.mark.parametrize("shape", ROWS + OTHERS, ids=str)
@pytest.mark.parametrize("forced", [False, True])
def test_sums_over_its_rows_need_no_product(shape, forced):
    left, right = factors(4)
    lazy = MatrixProduct(left, right)
    if forced:
        unthunk(lazy)
    found = lazy.summed_to(shape, unbroadcast)
    assert found.shape == shape
    np.testing.assert_allclose(found, summed(left @ right, shape), rtol=1e-12)
    assert lazy.forced == (forced or shape in OTHERS)
