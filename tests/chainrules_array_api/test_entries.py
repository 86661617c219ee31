"""Indices of all kinds by which entries of arrays of the standard are written, against NumPy."""

import numpy as np
import pytest

from chainrules_array_api.entries import added_to_zeros, plain_index, written
from chainrules_array_api.standard_array import StandardArray, on_host
from stand_ins.standard_calls import standard

SHAPE = (6, 5, 4)
ALL, NEW = slice(None), None
INDICES = [
    *(0, (0,), slice(1, 4), slice(3, 3), (slice(None, None, -2),)),
    *((..., 2), (ALL, slice(1, None, 3))),
    *((NEW, slice(1, 3)), (ALL, NEW, 0), np.array([1, 1, 3])),
    *([0, 0, -1], (ALL, np.array([[0, 0], [1, 4]]))),
    (np.array([0, 1, 1]), np.array([2, 2, 2])),
    np.arange(101) ** 2 % 5,  # each of three entries many times
    *((2, np.array([1, 1])), (np.array([0, 1]), ALL, np.array([3, 3]))),
    *(np.arange(6) > 2, (ALL, np.arange(5) > 2), np.ones(SHAPE, bool), np.zeros((6, 5), bool)),
]


def values_for(index, seed=0):
    return np.random.default_rng(seed).normal(size=np.zeros(SHAPE)[index].shape)


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_what_is_added_arrives_where_numpy_adds_it(index):
    expected, values = np.zeros(SHAPE), values_for(index)
    np.add.at(expected, index, values)
    found = added_to_zeros(standard(values), index, SHAPE, np.dtype("float64"))
    assert isinstance(found, StandardArray)
    np.testing.assert_allclose(on_host(found), expected, rtol=1e-14)


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_what_is_written_stands_where_numpy_writes_it(index):
    a, values = np.random.default_rng(1).normal(size=SHAPE), values_for(index)
    expected = a.copy()
    expected[index] = values
    for one, other in (
        (standard(a), standard(values)),
        (standard(a), values),
        (a, standard(values)),
    ):
        np.testing.assert_array_equal(on_host(written(one, index, other)), expected)


def test_a_number_is_written_everywhere_and_single_precision_stays():
    found = written(standard(np.zeros(4, np.float32)), slice(1, 3), 7.0)
    np.testing.assert_array_equal(on_host(found), [0, 7, 7, 0])
    assert found.dtype == np.float32


@pytest.mark.parametrize("index", [slice(1, 3), slice(0, 0)], ids=str)
@pytest.mark.parametrize(("dtype", "values"), [("float32", np.ones(1)), ("int64", 1.5)])
def test_what_is_written_into_has_the_dtype_that_it_had(index, dtype, values):
    a = np.arange(4).astype(dtype)
    expected = a.copy()
    expected[index] = values
    for one in (standard(a), a):
        found = written(one, index, standard(np.asarray(values)))
        assert isinstance(found, StandardArray)
        assert found.dtype == a.dtype
        np.testing.assert_array_equal(on_host(found), expected)


def test_an_index_of_the_standard_becomes_numpys():
    one, other = plain_index((standard(np.array([0, 2])), slice(1)))
    assert isinstance(one, np.ndarray)
    assert other == slice(1)
