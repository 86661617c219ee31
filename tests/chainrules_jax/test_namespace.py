"""Lists of numbers beside JAX's arrays are arrays, as they are beside NumPy's, and windows of JAX's
arrays, plain and traced, are NumPy's.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_jax.namespace import sliding_window_view
from chainrules_tape import grad, hessian, jvp, vmap

X = np.array([0.3, 0.8, 1.2])


def test_single_precision_stays():
    x = jnp.array(X, dtype=jnp.float32)
    slope = grad(lambda x: np.sum(np.stack([x, np.take(x, [1, 0, 0])]) ** 2))(x)
    assert slope.dtype == np.float32


# --- Windows ---


SAMPLES = np.array([1.0, 2.0, 0.5, 3.0])
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
    x = jnp.asarray(SAMPLES)
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


def test_whether_numbers_are_real_is_not_decided_by_their_values():
    np.testing.assert_array_equal(tnp.real_if_close(jnp.asarray(X)), jnp.asarray(X))
    with pytest.raises(NotImplementedError, match=r"write x\.real"):
        grad(lambda x: np.sum(np.abs(np.real_if_close(x + 1j))))(jnp.asarray(X))


@pytest.mark.parametrize("requirements", [[], "F", ["C", "W"]])
def test_arrays_may_be_required_to_be_laid_out(requirements):
    def f(x):
        return np.sum(tnp.asanyarray(tnp.require(x, x.dtype, requirements), order="F") ** 3)

    rows = np.stack([X, X**2])
    np.testing.assert_allclose(grad(f)(jnp.asarray(rows)), 3 * rows**2, rtol=1e-6)
