"""What NumPy takes as an index reads arrays of JAX, too, under the tape."""

import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest

from chainrules_tape import grad, hessian, jvp

X = np.arange(12.0).reshape(3, 4) + 1
INDICES = {
    "a range": range(2),
    "a list": [0, 1],
    "an array and a range": (np.array([0, 2]), range(2)),
    "a range and a slice": (range(2), slice(1, 3)),
    "pandas": (pd.Index([0, 1]), None, 0),
}


@pytest.mark.parametrize("name", INDICES)
def test_reads(name):
    index = INDICES[name]

    def f(x):
        return np.sum(np.sin(x[index]))

    x = jnp.asarray(X)
    np.testing.assert_allclose(grad(f)(x), grad(f)(X), rtol=1e-6)
    np.testing.assert_allclose(hessian(f)(x), hessian(f)(X), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(jvp(f, (x,), (x,))[1], jvp(f, (X,), (X,))[1], rtol=1e-5)
