"""The rules of condition numbers hold, and a singular matrix has the gradient zero."""

import numpy as np

from chainrules_py import rrule


def test_singular_matrices_have_an_infinite_condition_and_the_gradient_zero():
    y, pullback = rrule(np.linalg.cond, np.diag([1.0, 0.0]))
    assert y == np.inf
    np.testing.assert_array_equal(pullback(1.0)[0], np.zeros((2, 2)))
