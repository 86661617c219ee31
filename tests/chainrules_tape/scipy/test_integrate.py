"""Integrals of samples on traced values: by the samples and by the points at which they were taken."""

import numpy as np
import pytest

from chainrules_tape import grad

traced = pytest.importorskip("chainrules_tape.scipy.integrate")


def test_running_integrals_end_at_the_whole():
    x = np.cumsum(np.random.default_rng(0).uniform(0.1, 1, 9))
    whole = grad(lambda x: traced.trapezoid(np.sin(x), x))(x)
    assert np.allclose(grad(lambda x: traced.cumulative_trapezoid(np.sin(x), x)[-1])(x), whole)
