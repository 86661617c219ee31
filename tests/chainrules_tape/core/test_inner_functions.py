"""One function traced at many values: each call is a trace of its own, beside shared arguments."""

import numpy as np
import pytest

from chainrules_py import default_rules
from chainrules_py.tangents import NO_TANGENT, is_zero
from chainrules_tape import InPlaceError, grad
from chainrules_tape.core.config import TapeConfig

CONFIG = TapeConfig(default_rules)
A = np.array([[1.0, 2.0], [3.0, 4.0]])


def test_pullbacks_of_several_calls_may_be_called_in_any_order_and_again():
    repeated = CONFIG.repeated_rrule_via_ad(
        lambda x, t, shared: np.sin(shared["a"] @ x) * t, {"a": A, "n": 3}
    )
    points = [np.array([0.1, 0.2]), np.array([-0.4, 0.3])]
    calls = [repeated(x, 2.0) for x in points]
    for (value, pullback), x in [*zip(calls, points, strict=True), (calls[0], points[0])]:
        x_bar, parts = pullback(np.ones(2))
        slope = 2 * np.cos(A @ x)
        assert np.allclose(value, 2 * np.sin(A @ x))
        assert np.allclose(x_bar, A.T @ slope)
        (shared_bar,) = repeated.tangents(parts)
        assert np.allclose(shared_bar["a"], np.outer(slope, x))
        assert shared_bar["n"] is NO_TANGENT


def test_a_constant_has_no_cotangents():
    repeated = CONFIG.repeated_rrule_via_ad(lambda x, a: np.ones(2), A)
    value, pullback = repeated(np.zeros(2))
    x_bar, parts = pullback(np.ones(2))
    assert np.allclose(value, 1.0)
    assert is_zero(x_bar)
    assert all(map(is_zero, parts))


def test_values_of_an_outer_level_are_differentiated():
    def found(a):
        repeated = CONFIG.repeated_rrule_via_ad(lambda x, a: a * x**3, a)
        x_bar, _ = repeated(np.array([2.0]))[1](np.ones(1))
        return x_bar[0]

    assert np.isclose(grad(found)(5.0), 12.0)


@pytest.mark.parametrize("which", ["x", "shared"])
def test_a_write_into_an_argument_is_refused(which):
    def writing(x, a):
        target = x if which == "x" else a
        target[0] = 1.0
        return a * x

    with pytest.raises(InPlaceError, match="write into a copy"):
        CONFIG.repeated_rrule_via_ad(writing, np.ones(2))(np.ones(2))
