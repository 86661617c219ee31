"""The rules of sliding windows add an entry up over the windows that it is in."""

import numpy as np

from chainrules_py import rrule

sliding_window_view = np.lib.stride_tricks.sliding_window_view


def test_an_entry_adds_up_over_its_windows():
    y, pullback = rrule(sliding_window_view, np.zeros(5), window_shape=3)
    np.testing.assert_array_equal(pullback(np.ones((3, 3)))[0], [1.0, 2.0, 3.0, 2.0, 1.0])
