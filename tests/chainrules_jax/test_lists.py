"""Lists of numbers beside JAX's arrays are arrays, as they are beside NumPy's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from chainrules_tape import grad, vmap

X = np.array([0.3, 0.8, 1.2])
PROGRAMS = {
    "concatenate": lambda x: np.concatenate([[0.0], np.cumsum(x)]),
    "concatenate tuples": lambda x: np.concatenate(((0, 1), x)),
    "hstack": lambda x: np.hstack([[2.0], x]),
    "stack": lambda x: np.stack([x, [1.0, 2.0, 3.0]]) * x,
    "vstack": lambda x: np.vstack([[1.0, 2.0, 3.0], x]) * x,
    "column_stack": lambda x: np.column_stack([x, [1.0, 2.0, 3.0]]) * x[0],
    "dstack": lambda x: np.dstack([x, [1.0, 2.0, 3.0]]) * x[0],
    "where": lambda x: np.where([True, False, True], x, [1.0, 2.0, 3.0]) * x,
    "take": lambda x: np.take(x, [0, 2, 2]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_list_beside_an_array(name):
    def f(x):
        return np.sum(PROGRAMS[name](x) ** 3)

    expected = grad(f)(X)
    with jax.enable_x64(True):
        x = jnp.array(X)
        np.testing.assert_allclose(grad(f)(x), expected, rtol=1e-12)
        np.testing.assert_allclose(jax.jit(grad(f))(x), expected, rtol=1e-12)
        np.testing.assert_allclose(vmap(grad(f))(x[None])[0], expected, rtol=1e-12)


def test_single_precision_stays():
    x = jnp.array(X, dtype=jnp.float32)
    slope = grad(lambda x: np.sum(np.stack([x, np.take(x, [1, 0, 0])]) ** 2))(x)
    assert slope.dtype == np.float32
