"""Windows of JAX's arrays, plain and traced, are NumPy's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_jax.windows import sliding_window_view
from chainrules_tape import grad, hessian, jvp, vmap

X = np.array([1.0, 2.0, 0.5, 3.0])
CASES = {
    "one axis": ((4,), 2, None),
    "both axes": ((3, 4), (2, 3), None),
    "the last axis": ((3, 4), 2, -1),
    "an axis twice": ((3, 4), (2, 2), (1, 1)),
}


def products(x):
    """A sum of squared products of neighbours."""
    return tnp.sum(tnp.prod(tnp.lib.stride_tricks.sliding_window_view(x, 2), axis=-1) ** 2)


def written_out(x):
    """The same sum in JAX's slices."""
    return jnp.sum((x[1:] * x[:-1]) ** 2)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_windows_are_numpys(case):
    shape, window, axis = case
    x = np.arange(np.prod(shape)).reshape(shape) / 3.0
    expected = np.lib.stride_tricks.sliding_window_view(x, window, axis)
    found = jax.jit(lambda x: sliding_window_view(x, window, axis))(x)
    np.testing.assert_array_equal(found, np.asarray(expected, found.dtype))


def test_derivatives_in_compiled_programs():
    x = jnp.asarray(X)
    expected = jax.grad(written_out)(x)
    np.testing.assert_allclose(jax.jit(grad(products))(x), expected, rtol=1e-6)
    np.testing.assert_allclose(
        jax.jit(vmap(grad(products)))(jnp.stack([x, 2 * x])),
        jax.vmap(jax.grad(written_out))(jnp.stack([x, 2 * x])),
        rtol=1e-6,
    )
    np.testing.assert_allclose(
        jax.jit(lambda x: jvp(products, (x,), (x,))[1])(x), expected @ x, rtol=1e-6
    )
    np.testing.assert_allclose(
        jax.jit(hessian(products))(x), jax.hessian(written_out)(x), rtol=1e-6
    )
