"""Indices of all kinds that Dask arrays are written by, against NumPy."""

import dask.array as da
import numpy as np
import pytest

from chainrules_dask import DaskError, entries
from chainrules_tape import grad
from stand_ins.array_makers import ARRAYS_BESIDE

in_chunks = next(each.in_chunks for each in ARRAYS_BESIDE if each.NAME == "Dask")
SHAPE = (6, 5, 4)
ALL, NEW = slice(None), None
LAZY = da.from_array(np.array([1, 2]), chunks=1)


def test_writing_makes_a_copy():
    x = np.arange(6.0)
    lazy = in_chunks(x)
    found = entries.written(lazy, slice(1, 3), 7.0)
    np.testing.assert_array_equal(found.compute(scheduler="synchronous"), [0, 7, 7, 3, 4, 5])
    np.testing.assert_array_equal(lazy.compute(scheduler="synchronous"), x)


@pytest.mark.parametrize("values", [np.float64(0.1), np.array([1.5, 2.5])], ids=["one", "two"])
@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64"])
def test_what_is_written_gets_the_dtype_of_the_array(dtype, values):
    x = np.arange(6).astype(dtype)
    found = entries.written(in_chunks(x), slice(1, 3), values)
    x[1:3] = values
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found.compute(scheduler="synchronous"), x)


@pytest.mark.parametrize("first", [np.array([0, 1]), 0], ids=["array", "integer"])
def test_arrays_with_a_slice_between_are_refused(first):
    with pytest.raises(DaskError, match="two steps"):
        entries.added_to_zeros(
            da.zeros((2, 5)), (first, ALL, np.array([0, 1])), SHAPE, np.dtype("float64")
        )


@pytest.mark.parametrize(
    "index",
    [True, np.False_, np.array(True), (..., True)],
    ids=["of Python", "false", "0-d", "last"],
)
def test_a_single_boolean_is_refused(index):
    x = da.zeros(SHAPE)  # Dask would read x[1]; NumPy adds an axis
    for compute in (
        lambda: entries.entries_read(x, index),
        lambda: entries.written(x, index, 1.0),
        lambda: grad(lambda x: np.sum(x[index]))(x),
    ):
        with pytest.raises(DaskError, match=r"single boolean.*x\[None\]"):
            compute()


PLACES = np.array([[1, -1], [1, 3]])
LATE = [
    *(lambda k: k[0], lambda k: k, lambda k: (ALL, k), lambda k: (..., k[:, 0])),
    *(lambda k: (slice(1, 4), k[1]), lambda k: (slice(1, 4), ..., k), lambda k: k[0, 0]),
]


@pytest.mark.parametrize("index_of", LATE)
def test_positions_may_be_computed_later(index_of):
    x = np.random.default_rng(1).normal(size=SHAPE)
    index, late = index_of(PLACES), index_of(in_chunks(PLACES))
    weights = np.random.default_rng(2).normal(size=x[index].shape)
    expected = np.zeros(SHAPE)
    np.add.at(expected, index, weights)

    read = entries.entries_read(in_chunks(x), late)
    assert read.shape == x[index].shape
    np.testing.assert_array_equal(read.compute(scheduler="synchronous"), x[index])
    slopes = grad(lambda x: np.sum(x[late] * weights))(in_chunks(x))
    np.testing.assert_allclose(slopes.compute(scheduler="synchronous"), expected, rtol=1e-14)


@pytest.mark.parametrize("index", [(0, LAZY), (NEW, LAZY), (LAZY, LAZY), (LAZY, [0, 1])], ids=str)
def test_positions_that_come_later_stand_alone(index):
    for function, args in (
        (entries.entries_read, (da.zeros(SHAPE), index)),
        (entries.parts_of_index, (index, SHAPE)),
    ):
        with pytest.raises(DaskError, match="two steps"):
            function(*args)


def test_many_positions_are_written_to():
    index, values = np.array([[0, 1], [5, 2]]), np.arange(4.0).reshape(2, 2, 1, 1)
    expected = np.ones(SHAPE)
    expected[index] = values
    found = entries.written(da.ones(SHAPE, chunks=3), index, values)
    np.testing.assert_array_equal(found.compute(scheduler="synchronous"), expected)


def test_a_condition_that_is_not_computed_is_refused():
    x = da.arange(4, chunks=2)
    for function, args in (
        (entries.entries_read, (x, x > 1)),
        (entries.compress, (x > 1, x)),
        (entries.parts_of_index, (x > 1, (4,))),
    ):
        with pytest.raises(DaskError, match=r"numpy\.where"):
            function(*args)
