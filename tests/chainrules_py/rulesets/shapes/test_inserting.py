"""`insert`: a broadcast value receives the sum."""

import numpy as np

from chainrules_py import NO_TANGENT, rrule


def test_broadcast_value_receives_the_sum():
    arr_bar, obj_bar, values_bar = rrule(np.insert, np.zeros(3), [0, 2], 5.0)[1](
        np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    )
    assert obj_bar is NO_TANGENT
    assert values_bar == 9.0
    np.testing.assert_array_equal(arr_bar, [2.0, 4.0, 16.0])
