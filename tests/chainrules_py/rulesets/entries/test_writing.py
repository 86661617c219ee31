"""Rules of functions that write: what they return, and what they keep."""

import operator

import numpy as np

from chainrules_py import ZERO, HandlesOverwriting, frule, rrule
from chainrules_tape import grad

KEEPS_TRACK = HandlesOverwriting()


def test_a_real_array_takes_the_real_part_of_a_cotangent():
    a = np.zeros(2, complex)
    _, pullback = rrule(operator.setitem, a, 0, 2.0, config=KEEPS_TRACK)
    a_bar, _, value_bar = pullback(np.array([1.0 + 2.0j, 3.0j]))
    assert a.tolist() == [2.0, 0.0]
    assert a_bar.tolist() == [0.0, 3.0j]
    assert value_bar == 1.0


def test_the_value_is_the_argument_itself():
    a = np.zeros(3)
    assert rrule(operator.setitem, a, 0, 2.0, config=KEEPS_TRACK)[0] is a
    assert frule((np.ones(3), ZERO, ZERO), operator.setitem, a, 0, 2.0, config=KEEPS_TRACK)[0] is a


def test_positions_may_be_used_again():
    """What a program writes into its own arrays of positions and masks afterwards does not change
    the derivative.
    """

    def f(x):
        y = x * 1.0
        y[0] += 0.0
        places, mask = np.array([0, 1]), np.array([True, False, False])
        y[places] = y[places] ** 2
        y[mask] *= 3.0
        np.put(y, places, y[places[::-1]])
        places[:], mask[:] = 2, True
        return np.sum(y * np.array([1.0, 10.0, 100.0]))

    np.testing.assert_allclose(grad(f)(np.array([2.0, 3.0, 4.0])), [2 * 2 * 3 * 10, 2 * 3, 100])
