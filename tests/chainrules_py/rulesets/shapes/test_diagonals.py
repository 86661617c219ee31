"""Rules of diagonals and triangles."""

from functools import reduce

import numpy as np
import pytest

from chainrules_py import ZERO, rrule, unthunk
from chainrules_py.accumulation import accumulate, accumulated


@pytest.mark.parametrize("primal", [np.diagonal, np.trace])
@pytest.mark.parametrize(
    ("shape", "options"),
    [((3, 4), {}), ((4, 3), {"offset": -2}), ((2, 3, 4), {"axis1": 2, "axis2": 0})],
)
def test_a_diagonal_is_added_into_a_buffer(primal, shape, options):
    a = np.zeros(shape)
    y, pullback = rrule(primal, a, **options)
    y_bar = 1 + np.arange(np.size(y)).reshape(np.shape(y)) * 1.0
    thunks = [pullback(y_bar)[0] for _ in range(3)]
    # <read(e), y_bar> for every unit array e, three times
    units = np.eye(a.size).reshape(a.size, *shape)
    expected = np.array([3 * np.sum(primal(unit, **options) * y_bar) for unit in units]).reshape(
        shape
    )
    np.testing.assert_array_equal(accumulated(reduce(accumulate, thunks, ZERO)), expected)
    np.testing.assert_array_equal(3 * unthunk(thunks[0]), expected)
