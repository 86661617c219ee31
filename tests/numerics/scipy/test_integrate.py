"""scipy.integrate: integrals of samples whose integral is known."""

import importlib

import numpy as np
import pytest

from chainrules_tape import grad

samples = importlib.import_module("chainrules_samples.scipy.integrate")
traced = importlib.import_module("chainrules_tape.scipy.integrate")


@pytest.mark.parametrize("name", ["trapezoid", "simpson", "romb"])
def test_the_integral_of_a_power_by_its_exponent(name):
    x = np.linspace(1.0, 2.0, 1025)
    found = grad(lambda p: getattr(traced, name)(x**p, dx=x[1] - x[0]))(2.0)
    assert np.isclose(found, 8 / 3 * np.log(2) - 7 / 9, rtol=1e-6)


def test_equal_points_of_simpsons_rule_have_a_derivative():
    """SciPy takes the interval between them for nothing."""
    points = np.array([0.0, 1.0, 1.0, 2.0])
    found = grad(lambda x: traced.simpson(np.arange(4.0), x))(points)
    assert np.all(np.isfinite(found))
