"""Functions of `scipy.integrate` on traced values, through `chainrules_tape.scipy`: of functions, and of samples."""

import numpy as np
import pytest

from chainrules_tape import grad

integrate = pytest.importorskip("chainrules_tape.scipy.integrate")


def test_traced_values_are_found_in_args_and_in_functions():
    assert np.isclose(grad(lambda a: integrate.quad(lambda x, a: a * a * x, 0.0, 2.0, args=(a,))[0])(3.0), 12.0)
    assert np.isclose(grad(lambda a: integrate.quad(lambda x: a * a * x, 0.0, 2.0)[0])(3.0), 12.0)


def test_autograds_own_test_of_odeint():
    at_end = grad(lambda y: np.sum(integrate.odeint(lambda y, t: -y, y, np.linspace(0.0, 1.0, 3))[-1]))
    assert np.allclose(at_end(np.array([1.0, 2.0])), np.exp(-1.0), rtol=1e-6)


def test_running_integrals_end_at_the_whole():
    x = np.cumsum(np.random.default_rng(0).uniform(0.1, 1, 9))
    whole = grad(lambda x: integrate.trapezoid(np.sin(x), x))(x)
    assert np.allclose(grad(lambda x: integrate.cumulative_trapezoid(np.sin(x), x)[-1])(x), whole)
