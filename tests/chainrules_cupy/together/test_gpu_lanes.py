"""`vmap` of the tape on CuPy's arrays, and Jacobians, whose units are in lanes: values and
derivatives, inside of lanes and outside, against NumPy's.
"""

import cupy
import numpy as np
import pytest

from chainrules_tape import grad, hvp, jacobian, vjp, vmap

pytestmark = pytest.mark.gpu
X = np.random.default_rng(0).normal(size=(4, 6))


W = np.random.default_rng(1).normal(size=(6, 6))


def energy(x):
    return np.sum(np.sin(x) * x)


def layer(w, x):
    return np.tanh(w @ x) * x


IN_LANES = {
    "entries, outside": lambda x, w: grad(
        lambda x: np.sum(np.sin(vmap(lambda each: np.sum(each[np.array([0, 0, 2])] ** 2))(x)))
    )(x),
    "vmap(vmap(grad))": lambda x, w: vmap(vmap(grad(lambda each: np.sin(each) * each)))(x),
    "grad(vmap(grad))": lambda x, w: grad(lambda x: np.sum(vmap(grad(energy))(x) ** 2))(x),
    "vmap(grad) of weights": lambda x, w: vmap(
        grad(lambda w, each: np.sum(layer(w, each))), in_axes=(None, 0)
    )(w, x),
    "vmap(vjp)": lambda x, w: vmap(lambda each: vjp(lambda y: layer(w, y), each)[1](each)[0])(x),
    "vmap(hvp)": lambda x, w: vmap(lambda each: hvp(energy, each, each))(x),
    "jacobian, in reverse": lambda x, w: jacobian(lambda y: layer(w, y), mode="reverse")(x[0]),
    "jacobian of complex numbers": lambda x, w: jacobian(lambda z: z * np.exp(z))(x[0] + 1j * x[1]),
}


@pytest.mark.parametrize("name", IN_LANES)
def test_derivatives_in_lanes(name):
    program = IN_LANES[name]
    found = program(cupy.asarray(X), cupy.asarray(W))
    assert isinstance(found, cupy.ndarray)
    np.testing.assert_allclose(cupy.asnumpy(found), program(X, W), rtol=1e-10, atol=1e-11)
