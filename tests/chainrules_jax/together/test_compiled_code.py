"""A function of C++ that takes NumPy's arrays alone, in all transformations of JAX: its own TypeError
of a traced array is answered by one call for each example.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from chainrules_jax import to_jax
from chainrules_py import linear_rule, primitive

kernels = pytest.importorskip("scipy.fft._pocketfft.pypocketfft")
X = np.arange(6.0).reshape(2, 3) + 1.0


@pytest.fixture(scope="module")
def hartley() -> Any:
    """The Hartley transform, which is its own transpose."""
    kernel = kernels.separable_hartley
    with pytest.raises(TypeError, match="incompatible function arguments"):
        kernel(object())
    marked = primitive(kernel)
    linear_rule(kernel, lambda y, x: marked(y))
    return kernel


def matrix() -> Any:
    k = np.arange(3)
    angles = 2 * np.pi * np.outer(k, k) / 3
    return np.cos(angles) - np.sin(angles)


TRANSFORMED: dict[str, tuple[Callable[..., Any], Any, Any]] = {
    "vmap": (jax.vmap, X, X @ matrix()),
    "vmap of jit": (lambda f: jax.vmap(jax.jit(f)), X, X @ matrix()),
    "jacfwd": (jax.jacfwd, X[0], matrix()),
    "jacrev": (jax.jacrev, X[0], matrix()),
    "hessian": (
        lambda f: jax.hessian(lambda x: jnp.sum(f(x) ** 3)),
        X[0],
        matrix() @ np.diag(6 * X[0] @ matrix()) @ matrix(),
    ),
    "vmap of jacfwd": (lambda f: jax.vmap(jax.jacfwd(f)), X, np.stack([matrix()] * 2)),
}


@pytest.mark.parametrize(("transform", "x", "expected"), TRANSFORMED.values(), ids=TRANSFORMED)
def test_transformations(transform, x, expected, hartley):
    found = transform(to_jax(hartley))(jnp.asarray(x))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
