"""Taylor coefficients against those of `jax.experimental.jet`, where it has the function: it has none
of tan, arctan, arcsin, prod and sort, nor of linear algebra.
"""

import math

import numpy as np
import pytest

from chainrules_tape import taylor

jax = pytest.importorskip("jax")
jet = pytest.importorskip("jax.experimental.jet")

ORDER = 5
X, V = np.array([0.3, 0.7, 0.5]), np.array([1.0, -0.5, 2.0])
MATRIX = np.random.default_rng(2).normal(size=(3, 3))

FUNCTIONS = {
    name: lambda xp, x, name=name: getattr(xp, name)(x)
    for name in (
        *("sin", "cos", "sinh", "cosh", "tanh", "exp", "expm1", "log", "log1p", "sqrt"),
        *("abs", "negative", "square", "cumsum", "cumprod", "sum", "max", "transpose", "ravel"),
    )
} | {
    "quotient": lambda xp, x: x / (1 + x * x),
    "power": lambda xp, x: x**2.5,
    "integer power": lambda xp, x: x**5,
    "matmul": lambda xp, x: xp.matmul(xp.asarray(MATRIX), xp.sin(x)) @ x,
    "where": lambda xp, x: xp.where(x > 0.4, xp.exp(x), x * x),
    "maximum": lambda xp, x: xp.maximum(x, x * x),
    "concatenate": lambda xp, x: xp.concatenate([x, x[1:] * x[:1]]),
    "entries": lambda xp, x: x[1] * x[::2],
    "layers": lambda xp, x: xp.sum(xp.tanh(xp.asarray(MATRIX) @ xp.tanh(xp.asarray(MATRIX) @ x))),
}


def by_jax(f):
    """The coefficients from t on, by JAX in double precision."""
    with jax.enable_x64(True):
        x = jax.numpy.asarray(X)
        terms = [jax.numpy.asarray(V), *[jax.numpy.zeros_like(x)] * (ORDER - 1)]
        value, derivatives = jet.jet(lambda x: f(jax.numpy, x), (x,), (terms,))
        scaled = [np.asarray(d) / math.factorial(k) for k, d in enumerate(derivatives, 1)]
        return [np.asarray(value), *scaled]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jet(name):
    f = FUNCTIONS[name]
    expected = by_jax(f)
    found = taylor(lambda x: f(np, x), X, ORDER, V)
    for k in range(ORDER + 1):
        np.testing.assert_allclose(found[k], expected[k], rtol=1e-9, atol=1e-11, err_msg=str(k))
