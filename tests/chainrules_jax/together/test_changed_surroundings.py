"""JAX runs functions later, and compiled ones again: they have the surroundings of their call."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from chainrules_jax import to_jax
from chainrules_py.engines import frozen_once
from chainrules_tape import as_primitive, grad
from chainrules_tape.scipy import integrate, optimize

X = np.array([0.3, 0.8])


def program(x, rate):
    y = x.copy()
    y[0] = np.sin(rate * x[1])
    return np.sum(y * rate)


FORMS = {
    "integral": lambda rate, x: integrate.quad(lambda t: np.cos(rate() * t), 0.0, x[0])[0],
    "root": lambda rate, x: optimize.brentq(lambda z: z**3 + rate() * z - x[0], -4.0, 4.0),
    "program": lambda rate, x: to_jax(lambda x: program(x, rate()))(x),
    "compiled program": lambda rate, x: to_jax(
        as_primitive(lambda x: program(x, rate()), compiled=True)
    )(x),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_loop_variable(form):
    def summed(x):
        total, current = 0.0, 0.0

        def now():
            return current

        for rate in (0.5, 1.5):
            current = rate
            total = total + FORMS[form](now, x)
        current = 70.0
        return total

    def expected(x):
        return FORMS[form](lambda: 0.5, x) + FORMS[form](lambda: 1.5, x)

    with jax.enable_x64(True):
        rows = jnp.array([X, X])
        for way in (jax.jit, jax.grad, lambda f: jax.jit(jax.vmap(jax.grad(f)))):
            x = rows if way not in (jax.jit, jax.grad) else rows[0]
            np.testing.assert_allclose(way(summed)(x), way(expected)(x), rtol=1e-7)


def test_by_the_tape_within_jit():
    def summed(x):
        total, rate = 0.0, 0.0

        def integrand(t):
            return np.cos(rate * t * x[0])

        for new in (0.5, 1.5):
            rate = new
            total = total + integrate.quad(integrand, 0.0, 1.0)[0]
        return total

    with jax.enable_x64(True):
        found = jax.jit(grad(summed))(jnp.array(X))
        np.testing.assert_allclose(found, grad(summed)(X), rtol=1e-7)


def test_a_function_is_copied_once():
    weights, rate = np.ones(2), [1.0]

    def f(x):
        return x * weights * rate[0]

    first = frozen_once(f)
    assert first is frozen_once(f) is not f
    weights[0] = 2.0
    second = frozen_once(f)
    assert second is not first
    assert first(1.0).tolist() == [1.0, 1.0]
    rate[0] = 3.0
    assert second(1.0).tolist() == [2.0, 1.0]
    assert frozen_once(f)(1.0).tolist() == [6.0, 3.0]
