"""`vmap` of the tape on JAX's arrays: values and derivatives of the loop over NumPy's."""

import jax.numpy as jnp
import numpy as np
import pytest

from chainrules_tape import grad, vmap

X = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)
PROGRAMS = {
    "powers": lambda x: (x**2).sum(),
    "slices": lambda x: np.sum(np.sin(x[1:]) * x[:-1]),
    "repeated entries": lambda x: np.sum(x[np.array([0, 0, 2])] ** 2),
    "products": lambda x: np.sum(x.reshape(2, 3) @ x.reshape(3, 2)),
    "products of entries": lambda x: x[0] * x[1] * x[2],
}
DERIVATIVES = {
    "value": lambda f: f,
    "gradient": grad,
    "second": lambda f: grad(lambda x: np.sum(np.sin(grad(f)(x)))),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("derivative", DERIVATIVES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_lanes_are_the_loop(name, derivative):
    function = DERIVATIVES[derivative](PROGRAMS[name])
    found = vmap(function)(jnp.asarray(X))
    assert isinstance(found, jnp.ndarray)
    expected = [np.asarray(function(x)) for x in X]
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-4, atol=1e-4)


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_outside(name):
    function = PROGRAMS[name]
    found = grad(lambda x: np.sum(np.sin(vmap(function)(x))))(jnp.asarray(X))
    expected = grad(lambda x: sum(np.sin(function(x[k])) for k in range(len(X))))(X)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-4, atol=1e-4)


def test_arrays_of_jax_times_an_entry():
    """JAX's operators leave an entry in lanes to it, as they leave any traced array."""

    def scaled(x):
        return jnp.float32(3.0) * x[0] * np.sum(x)

    found = vmap(scaled)(jnp.asarray(X))
    np.testing.assert_allclose(found, 3.0 * X[:, 0] * X.sum(axis=1), rtol=1e-5)
    expected = np.repeat(3.0 * X[:, :1], 6, axis=1)
    expected[:, 0] += 3.0 * X.sum(axis=1)
    np.testing.assert_allclose(vmap(grad(scaled))(jnp.asarray(X)), expected, rtol=1e-5)
