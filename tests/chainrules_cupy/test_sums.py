"""Sums in two steps: NumPy's numbers, and, by CuPy's own count of blocks, where one step leaves a
device idle.
"""

import warnings
from math import prod

import cupy
import numpy as np
import pytest
from cupy._core._reduction import _get_block_specs as block_specs

from chainrules_cupy.namespace import namespace
from chainrules_cupy.sums import is_starved, leading, slices_for, total
from chainrules_py import rrule, unthunk
from stand_ins.waiting import staying

BUSY = 132  # multiprocessors of an H200: with fewer blocks some of them have nothing to do
# rows that make no whole number of slices
LARGE = np.random.default_rng(0).normal(size=(9100, 4, 8))


def blocks(rows, width):
    """How many blocks CuPy launches for the sum of rows."""
    return block_specs(rows * width, width, width, -1)[2]


@pytest.mark.parametrize(("rows", "width"), [(10**6, 256), (2**19, 1), (2**18, 10), (2**13, 2047)])
def test_what_is_called_starved_has_few_blocks_and_slices_have_many(rows, width):
    assert is_starved((rows, width), (width,))
    assert blocks(rows, width) < BUSY
    slices = slices_for(width)
    assert block_specs(rows * width, slices * width, width, -1)[2] > min(BUSY, slices // 4)


@pytest.mark.parametrize(
    ("given", "left"), [((256, 64), (64,)), ((10**4, 4096), (4096,)), ((4096, 1024), (1024,))]
)
def test_small_arrays_and_many_results_are_not(given, left):
    assert not is_starved(given, left)
    assert prod(given) < 2**18 or blocks(given[0], given[1]) >= BUSY // 4 or given[0] < 2**13


@pytest.mark.parametrize(
    ("axis", "ndim", "count"),
    [
        (0, 3, 1),
        ((0, 1), 3, 2),
        ((1, 0), 3, 2),
        (-3, 3, 1),
        (1, 3, 0),
        ((0, 2), 3, 0),
        (None, 3, 0),
    ],
)
def test_leading_axes(axis, ndim, count):
    assert leading(axis, ndim) == count


@pytest.mark.parametrize("options", [{}, {"keepdims": True}, {"dtype": np.float64}], ids=str)
@pytest.mark.parametrize("axis", [0, (0, 1), (1, 0), 1, 2, (1, 2), None])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128", "int64"])
def test_numpys_sums(dtype, axis, options):
    a = LARGE.astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # complex numbers as real ones, where the dtype is given
        found, wanted = total(np, a, axis, **options), np.sum(a, axis=axis, **options)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    tolerance = 1e-2 if dtype == "float32" else 1e-9
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def test_views_that_are_not_contiguous_are_summed_at_once():
    a = LARGE.transpose(0, 2, 1)
    np.testing.assert_array_equal(total(np, a, 0), np.sum(a, axis=0))


@pytest.mark.gpu
def test_the_sum_of_a_tape_and_of_what_was_broadcast():
    x, y_bar = cupy.asarray(LARGE), cupy.asarray(LARGE + 1)
    np.testing.assert_allclose(namespace.sum(x, axis=0).get(), LARGE.sum(0), rtol=1e-12)
    _, pullback = rrule(np.subtract, x, cupy.ones(8))
    with staying():
        x_bar = unthunk(pullback(y_bar)[1])
    np.testing.assert_allclose(x_bar.get(), -(LARGE + 1).sum((0, 1)), rtol=1e-12)
