"""The rules of inverses and pseudoinverses hold, and options without a rule are refused by name."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, frule, rrule
from chainrules_py.errors import OptionError
from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_rules

load_shipped()


@parametrize_rules(np.linalg.inv, np.linalg.pinv, np.linalg.tensorinv)
def test_rules(case):
    case.run()


def test_inv_of_integers_has_no_cotangent():
    y, pullback = rrule(np.linalg.inv, np.array([[2, 1], [1, 1]]))
    assert pullback(np.ones((2, 2))) == (NO_TANGENT,)


def test_pinv_tangent_keeps_the_penrose_conditions():
    rng = np.random.default_rng(0)
    a, a_dot = rng.normal(size=(2, 4, 2)) @ rng.normal(size=(2, 2, 3)), np.zeros((2, 4, 3))
    a_dot = a @ rng.normal(size=(3, 3)) + rng.normal(size=(4, 4)) @ a  # of constant rank: two
    y, y_dot = frule((a_dot,), np.linalg.pinv, a)
    np.testing.assert_allclose(a_dot @ y @ a + a @ y_dot @ a + a @ y @ a_dot, a_dot, atol=1e-12)
    np.testing.assert_allclose(y_dot @ a @ y + y @ a_dot @ y + y @ a @ y_dot, y_dot, atol=1e-12)
    projector_dot = a_dot @ y + a @ y_dot
    np.testing.assert_allclose(projector_dot, np.swapaxes(projector_dot, -1, -2), atol=1e-12)


def test_pinv_refuses_options_by_name():
    with pytest.raises(OptionError) as caught:
        rrule(np.linalg.pinv, np.eye(2), tol=1e-3)
    assert caught.value.option == "tol"
