"""Functions of `scipy.integrate` on traced values, through `chainrules_tape.scipy`."""

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
