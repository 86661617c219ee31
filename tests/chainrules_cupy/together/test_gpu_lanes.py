"""`vmap` of the tape on CuPy's arrays: values, and derivatives outside of lanes, of the loop over NumPy's."""

import cupy
import numpy as np
import pytest

from chainrules_tape import grad, vmap

pytestmark = pytest.mark.gpu
X = np.random.default_rng(0).normal(size=(4, 6))
PROGRAMS = {
    "powers": lambda x: (x**2).sum(),
    "slices": lambda x: np.sum(np.sin(x[1:]) * x[:-1]),
    "repeated entries": lambda x: np.sum(x[np.array([0, 0, 2])] ** 2),
    "products": lambda x: np.sum(x.reshape(2, 3) @ x.reshape(3, 2)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_lanes_are_the_loop(name):
    function = PROGRAMS[name]
    found = vmap(function)(cupy.asarray(X))
    assert isinstance(found, cupy.ndarray)
    expected = [np.asarray(function(x)) for x in X]
    np.testing.assert_allclose(cupy.asnumpy(found), expected, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_outside(name):
    function = PROGRAMS[name]
    found = grad(lambda x: np.sum(np.sin(vmap(function)(x))))(cupy.asarray(X))
    expected = grad(lambda x: sum(np.sin(function(x[k])) for k in range(len(X))))(X)
    np.testing.assert_allclose(cupy.asnumpy(found), expected, rtol=1e-10, atol=1e-11)
