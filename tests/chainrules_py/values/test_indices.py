"""Entries at positions that an engine may trace."""

import numpy as np
import pytest

from chainrules_py.values.indices import read
from chainrules_tape import vmap

A = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    "index", [1, (1, 2), slice(1), np.array([1, 0]), [1, 0], (0, [2, 1]), None]
)
def test_plain_indices(index):
    np.testing.assert_array_equal(read(A, index), A[index])


def test_indices_that_differ_from_lane_to_lane():
    positions = np.array([[0, 1], [1, 1]])
    np.testing.assert_array_equal(vmap(lambda i: read(A, i))(positions), A[positions])
    found = vmap(lambda i: read(A, (slice(None), i)))(positions)
    np.testing.assert_array_equal(found, [A[:, i] for i in positions])
