"""scipy.integrate: integrals of samples at equal points."""

import importlib

import numpy as np

from chainrules_tape import grad

traced = importlib.import_module("chainrules_tape.scipy.integrate")


def test_equal_points_of_simpsons_rule_have_a_derivative():
    """SciPy takes the interval between them for nothing."""
    points = np.array([0.0, 1.0, 1.0, 2.0])
    found = grad(lambda x: traced.simpson(np.arange(4.0), x))(points)
    assert np.all(np.isfinite(found))
