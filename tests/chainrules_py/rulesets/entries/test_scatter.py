"""Writing entries: every way in which buffers are written says the same as a loop does."""

import itertools

import numpy as np
import pytest

from chainrules_py.errors import NotImplementedTangentError
from chainrules_py.rulesets.entries.scatter import (
    add_at,
    hits_nothing_twice,
    is_basic,
    scatter_add,
    scattered,
)
from chainrules_py.tangents import NO_TANGENT, not_implemented, unthunk

_ALL = slice(None)
INTEGERS = np.array([3, 0, 3, -1])
INDICES = [
    *(2, -1, slice(1, 3), slice(None, None, -2), None),
    *(Ellipsis, (0, 1), np.int64(1), np.array(2), True),
    *(INTEGERS, [0, 0, 1], INTEGERS.reshape(2, 2), (INTEGERS, INTEGERS)),
    *((_ALL, INTEGERS), (INTEGERS, _ALL, INTEGERS)),
    *((INTEGERS, 1), (1, INTEGERS), (None, INTEGERS)),
    *(np.array([True, False, True, False]), (_ALL, np.ones(4, bool), INTEGERS)),
    *(np.arange(64).reshape(4, 4, 4) % 3 == 0, np.eye(4, dtype=bool)),
    *(np.zeros(4, bool), (np.eye(4, dtype=bool), 1)),
    (INTEGERS[:, None], INTEGERS),
    *((np.array([True, False, False, False]), INTEGERS), np.array([], int)),
]


def by_loop(shape, index, values):
    """Each entry's position in the flat array, one addition after the other."""
    expected = np.zeros(shape)
    for position, value in zip(
        np.arange(expected.size).reshape(shape)[index].ravel(), np.ravel(values), strict=True
    ):
        expected.flat[position] += value
    return expected


@pytest.mark.parametrize("number", range(len(INDICES)))
@pytest.mark.parametrize("layout", ["C", "F", "view"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_every_index_adds_up(number, layout, dtype):
    index, shape = INDICES[number], (4, 4, 4)
    buffer = (
        np.zeros((8, 4, 4), dtype)[::2]
        if layout == "view"
        else np.zeros(shape, dtype, order=layout)
    )
    values = (
        np.random.default_rng(number).integers(1, 9, np.zeros(shape)[index].shape).astype(float)
    )
    add_at(buffer, index, values, np)
    np.testing.assert_array_equal(buffer, by_loop(shape, index, values))


@pytest.mark.parametrize(("size", "count"), [(4, 1), (4, 100), (1000, 3)])
def test_vectors_and_rows(size, count):
    rng = np.random.default_rng(size + count)
    index = rng.integers(-size, size, count)
    for rest in ((), (3,), (2, 2)):
        buffer, values = np.zeros((size, *rest)), rng.integers(1, 9, (count, *rest)).astype(float)
        add_at(buffer, index, values, np)
        np.testing.assert_array_equal(buffer, by_loop((size, *rest), index, values))


def test_an_index_that_hits_nothing_twice_is_recognised():
    x = np.arange(64).reshape(4, 4, 4)
    for index in itertools.chain(INDICES, [(0, Ellipsis, None, slice(2))]):
        if hits_nothing_twice(index):
            assert np.unique(x[index]).size == x[index].size
    assert not hits_nothing_twice((0, [1]))


@pytest.mark.parametrize("rows", [3, 300])
@pytest.mark.parametrize("columns", [1, 3, 6])
@pytest.mark.parametrize("values", ["all", "a number", "a row"])
def test_few_columns_of_many_rows(rows, columns, values):
    values = {
        "all": np.arange(1.0, 1 + rows * columns).reshape(rows, columns),
        "a number": 2.0,
        "a row": np.arange(columns),
    }[values]
    buffer, expected = np.ones((rows, 8)), np.ones((rows, 8))
    add_at(buffer, (_ALL, slice(1, 1 + columns)), values, np)
    expected[:, 1 : 1 + columns] += values
    np.testing.assert_array_equal(buffer, expected)


@pytest.mark.parametrize(
    ("index", "basic"),
    [(1, True), (_ALL, True), (None, True), (..., True), ((1, _ALL, None, ...), True), ((), True)]
    + [
        ([1], False),
        (INTEGERS, False),
        ((1, INTEGERS), False),
        (True, False),
        (np.int64(1), False),
    ],
)
def test_basic_indices(index, basic):
    assert is_basic(index) is basic


def test_a_scatter_is_postponed_and_knows_its_space():
    values = np.array([1.0, 2.0])
    thunk = scattered(values, INTEGERS[:2], (4,), np.dtype(float))
    assert thunk.is_in((4,), np.dtype(float))
    assert not thunk.is_in((4, 1), np.dtype(float))
    buffer = thunk.zeros()
    thunk.add_into(buffer)
    np.testing.assert_array_equal(buffer, unthunk(thunk))
    thunk.add_into(buffer)  # forced by now
    np.testing.assert_array_equal(buffer, [4.0, 0.0, 0.0, 2.0])
    np.testing.assert_array_equal(thunk.zeros(), np.zeros(4))
    assert thunk.name == "scatter_add"


def test_a_scatter_into_real_numbers_takes_the_real_part():
    thunk = scattered(np.array([1.0 + 2j]), slice(0, 1), (2,), np.dtype("float32"))
    buffer = np.zeros(2, "float32")
    thunk.add_into(buffer)
    np.testing.assert_array_equal(buffer, [1.0, 0.0])
    assert unthunk(thunk).dtype == np.float32


@pytest.mark.parametrize("index", [0, slice(0, 1), [0]])
def test_a_derivative_that_nobody_wrote_is_refused_with_its_reason(index):
    thunk = scattered(not_implemented("by the order"), index, (2,), np.dtype(float))
    with pytest.raises(NotImplementedTangentError, match="by the order"):
        unthunk(thunk)
    with pytest.raises(NotImplementedTangentError, match="by the order"):
        thunk.add_into(np.zeros(2))
    with pytest.raises(NotImplementedTangentError, match="by the order"):  # in forward mode
        scatter_add(not_implemented("by the order"), index, (2,), np.dtype(float))


def test_integers_receive_no_scatter():
    assert scattered(np.ones(1), 0, (2,), np.dtype(int)) is NO_TANGENT
