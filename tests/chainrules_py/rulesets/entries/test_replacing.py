"""Writing entries as a function."""

import numpy as np

from chainrules_py import NO_TANGENT, frule, rrule
from chainrules_py.rulesets.entries.replacing import replaced


def test_the_argument_is_left_alone():
    a = np.zeros(3)
    replaced(a, 1, 5.0)
    np.testing.assert_array_equal(a, np.zeros(3))


def test_what_was_written_last_counts():
    a, values, index = np.zeros(2), np.array([1.0, 2.0, 3.0]), np.array([0, 1, 0])
    y, pullback = rrule(replaced, a, index, values)
    np.testing.assert_array_equal(y, [3.0, 2.0])
    a_bar, index_bar, values_bar = pullback(np.array([10.0, 20.0]))
    np.testing.assert_array_equal(a_bar, [0.0, 0.0])
    np.testing.assert_array_equal(values_bar, [0.0, 20.0, 10.0])
    assert index_bar is NO_TANGENT
    np.testing.assert_array_equal(
        frule((NO_TANGENT, NO_TANGENT, values), replaced, a, index, values)[1], [3.0, 2.0]
    )


def test_a_number_at_a_mask_receives_the_sum():
    mask = np.array([[True, False, True], [False, False, True]])
    a_bar, _, value_bar = rrule(replaced, np.zeros((2, 3)), mask, 5.0)[1](
        np.arange(1.0, 7.0).reshape(2, 3)
    )
    assert value_bar == 1 + 3 + 6
    np.testing.assert_array_equal(a_bar, [[0.0, 2.0, 0.0], [4.0, 5.0, 0.0]])
