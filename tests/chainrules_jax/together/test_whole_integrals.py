"""Programs that solve equations and integrate by SciPy, as one operation in JAX: reverse mode,
within `jax.jit`, against their solutions by hand.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import chainrules_tape.scipy.integrate as integrate
from chainrules_jax import to_jax

K = np.array([0.5, 2.0])
DECAY = np.array([-K[1] * np.exp(-K[0]), np.exp(-K[0])])
AREA = np.array(
    [
        -K[1] * (1 - np.exp(-K[0]) * (1 + K[0])) / K[0] ** 2,
        (1 - np.exp(-K[0])) / K[0],
    ]
)
CLOSELY = {"rtol": 1e-9, "atol": 1e-11}


def by_solve_ivp(k):
    solved = integrate.solve_ivp(lambda t, y: -k[0] * y, (0.0, 1.0), [k[1]], **CLOSELY)
    return solved.y[0, -1]


def by_odeint(k):
    return integrate.odeint(lambda y, t: -k[0] * y, [k[1]], [0.0, 0.5, 1.0], **CLOSELY)[-1, 0]


def by_quad(k):
    return integrate.quad(lambda t: np.exp(-k[0] * t) * k[1], 0.0, 1.0)[0]


@pytest.mark.parametrize(
    ("program", "expected"), [(by_solve_ivp, DECAY), (by_odeint, DECAY), (by_quad, AREA)]
)
@pytest.mark.parametrize("transform", [jax.grad, lambda f: jax.jit(jax.grad(f))])
def test_programs_of_integrals_are_differentiated_in_reverse(program, expected, transform):
    found = transform(to_jax(program))(jnp.asarray(K))
    np.testing.assert_allclose(found, expected, rtol=1e-6)
