"""`vmap` of the tape on CuPy's arrays, and Jacobians, whose units are in lanes: values and
derivatives, inside of lanes and outside, against NumPy's.
"""

import cupy
import numpy as np
import pytest

from chainrules_tape import grad, hessian, hvp, jacobian, jvp, vjp, vmap

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


W = np.random.default_rng(1).normal(size=(6, 6))


def energy(x):
    return np.sum(np.sin(x) * x)


def layer(w, x):
    return np.tanh(w @ x) * x


DERIVATIVES = {
    "vmap(grad)": lambda x, w: vmap(grad(energy))(x),
    "vmap(vmap)": lambda x, w: vmap(vmap(lambda each: np.sin(each) * each))(x),
    "vmap(vmap(grad))": lambda x, w: vmap(vmap(grad(lambda each: np.sin(each) * each)))(x),
    "grad(vmap(grad))": lambda x, w: grad(lambda x: np.sum(vmap(grad(energy))(x) ** 2))(x),
    "vmap(grad) of weights": lambda x, w: vmap(
        grad(lambda w, each: np.sum(layer(w, each))), in_axes=(None, 0)
    )(w, x),
    "vmap(jvp)": lambda x, w: vmap(lambda each: jvp(lambda y: layer(w, y), (each,), (each,))[1])(x),
    "jvp(vmap)": lambda x, w: jvp(vmap(lambda each: layer(w, each)), (x,), (x,))[1],
    "vmap(vjp)": lambda x, w: vmap(lambda each: vjp(lambda y: layer(w, y), each)[1](each)[0])(x),
    "vmap(hvp)": lambda x, w: vmap(lambda each: hvp(energy, each, each))(x),
    "vmap(jacobian)": lambda x, w: vmap(jacobian(lambda each: layer(w, each)))(x),
    "vmap(hessian)": lambda x, w: vmap(hessian(energy))(x),
    "jacobian, forward": lambda x, w: jacobian(lambda y: layer(w, y), mode="forward")(x[0]),
    "jacobian, in reverse": lambda x, w: jacobian(lambda y: layer(w, y), mode="reverse")(x[0]),
    "jacobian in chunks": lambda x, w: jacobian(
        lambda y: layer(w, y), mode="forward", max_bytes=400
    )(x[0]),
    "jacobian of complex numbers": lambda x, w: jacobian(lambda z: z * np.exp(z))(x[0] + 1j * x[1]),
    "hessian": lambda x, w: hessian(energy)(x[0]),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives_inside(name):
    program = DERIVATIVES[name]
    found = program(cupy.asarray(X), cupy.asarray(W))
    assert isinstance(found, cupy.ndarray)
    np.testing.assert_allclose(cupy.asnumpy(found), program(X, W), rtol=1e-10, atol=1e-11)
