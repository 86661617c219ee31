"""Positions as runs: what they read is what NumPy's index reads, and spreading is the adjoint of
reading.
"""

from itertools import pairwise

import numpy as np
import pytest

from chainrules_py.rulesets.formulas.runs import MOST, read, runs, spread_runs

POSITIONS = [
    [],
    [0],
    [2, 3, 4],
    [0, 1, 4, 5],
    [0, 2, 4],
    [3, 1, 2],
    [5, 5, 5],
    [0, 2, 4, 5],
    list(range(0, 12, 2)),
]
X = np.arange(24.0).reshape(2, 12)


@pytest.mark.parametrize("positions", POSITIONS)
def test_reading(positions):
    index = np.array(positions, int)
    np.testing.assert_array_equal(read(X, index, 1, np), X[:, index])
    found = runs(index)
    breaks = sum(b != a + 1 for a, b in pairwise(positions))
    assert (found is None) == (breaks >= MOST)
    if found is not None:
        assert [k for run in found for k in range(run.start, run.stop)] == positions


@pytest.mark.parametrize(
    ("positions", "length"), [([], 0), ([], 3), ([0, 1], 2), ([1, 2, 5], 7), ([0, 3], 4), ([2], 3)]
)
def test_spreading(positions, length):
    y = 1 + np.arange(3.0 * len(positions)).reshape(3, -1)
    expected = np.zeros((3, length))
    expected[:, positions] = y
    np.testing.assert_array_equal(
        spread_runs(y, runs(np.array(positions, int)), length, 1, np), expected
    )
