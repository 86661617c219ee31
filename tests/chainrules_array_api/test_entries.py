"""Indices of all kinds by which entries of arrays of the standard are written, against NumPy."""

import numpy as np
import pytest

from chainrules_array_api.entries import plain_index, written
from chainrules_array_api.standard_array import StandardArray, on_host
from stand_ins.standard_calls import standard


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
