"""The rules of `ufunc.outer` hold for each way of calling it."""

import numpy as np

from chainrules_py import NO_TANGENT, frule, rrule
from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_rules

load_shipped()


@parametrize_rules(np.ufunc.outer)
def test_outer(case):
    case.run()


def test_the_bound_method_is_the_same_call():
    a, b, y_bar = np.array([2.0, 3.0]), np.array([5.0, 7.0, 11.0]), np.ones((2, 3))
    ufunc_bar, a_bar, b_bar = rrule(np.multiply.outer, a, b)[1](y_bar)
    assert ufunc_bar is NO_TANGENT
    np.testing.assert_array_equal(a_bar, [23.0, 23.0])
    np.testing.assert_array_equal(b_bar, [5.0, 5.0, 5.0])
    np.testing.assert_array_equal(frule((a, NO_TANGENT), np.multiply.outer, a, b)[1], np.multiply.outer(a, b))
