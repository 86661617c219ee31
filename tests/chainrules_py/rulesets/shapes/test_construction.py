"""Arrays made of traced values pass the cotangent on: in the dtype of each argument, and summed for
a fill value.
"""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, Tangent, frule, rrule


def test_astype_comes_back_in_the_dtype_of_the_argument():
    x_bar, dtype_bar = rrule(np.astype, np.ones(2, "float32"), np.complex128)[1](
        np.array([1 + 1j, 2.0])
    )
    assert dtype_bar is NO_TANGENT
    assert x_bar.dtype == np.float32
    np.testing.assert_array_equal(x_bar, [1.0, 2.0])


def test_integers_end_the_derivative():
    y, y_dot = frule((np.ones(2), NO_TANGENT), np.astype, np.array([1.5, 2.5]), np.int64)
    assert y_dot is NO_TANGENT
    assert rrule(np.astype, np.array([1.5]), np.int64)[1](ZERO)[0] in (ZERO, NO_TANGENT)


def test_nested_lists_keep_their_structure():
    (bar,) = rrule(np.array, [[1.0, 2], [np.float64(3.0), 4.0]])[1](
        np.array([[1.0, 2.0], [3.0, 4.0]])
    )
    assert isinstance(bar, Tangent[list])
    assert bar[0][0] == 1.0
    assert bar[0][1] is NO_TANGENT
    assert [*bar[1]] == [3.0, 4.0]


@pytest.mark.parametrize("primal", [np.full, np.full_like])
def test_fill_value_receives_the_sum(primal):
    first = (2, 3) if primal is np.full else np.ones((2, 3))
    first_bar, fill_bar = rrule(primal, first, 1.5)[1](np.ones((2, 3)))
    assert first_bar in (ZERO, NO_TANGENT)
    assert fill_bar == 6.0
