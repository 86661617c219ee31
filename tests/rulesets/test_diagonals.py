"""Rules of diagonals and triangles."""

import numpy as np
import pytest

from chainrules_py import rrule, unthunk
from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_rules

load_shipped()


@parametrize_rules(np.tril, np.triu, np.diagonal, np.trace, np.diag, np.diagflat, np.vander)
def test_diagonals(case):
    case.run()


@pytest.mark.parametrize(("axis1", "axis2"), [(0, 1), (2, 0), (-1, -2)])
def test_trace_over_other_axes(axis1, axis2):
    a, y_bar = np.zeros((3, 3, 3)), np.array([1.0, 10.0, 100.0])
    a_bar = unthunk(rrule(np.trace, a, axis1=axis1, axis2=axis2)[1](y_bar)[0])
    identity = np.eye(3)
    # <trace(e), y_bar> for every unit array e
    expected = np.array([np.trace(np.eye(27)[i].reshape(3, 3, 3), axis1=axis1, axis2=axis2) @ y_bar for i in range(27)])
    np.testing.assert_array_equal(a_bar, expected.reshape(3, 3, 3))
    assert a_bar.sum() == 3 * y_bar.sum() == identity.sum() * y_bar.sum()


def test_vander_at_zero_has_no_nan():
    (x_bar,) = rrule(np.vander, np.zeros(2), 3)[1](np.ones((2, 3)))
    np.testing.assert_array_equal(x_bar, [1.0, 1.0])
