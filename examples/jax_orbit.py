"""A solver that only NumPy can run, in a JAX program, and a JAX network in a program of NumPy's and
SciPy's.

First the orbit of a planet is fitted to what was seen of it, by Newton's method in JAX, compiled.
Kepler's equation is solved by a loop of NumPy's that ends when it has converged: JAX can neither
trace nor differentiate it. One line has its derivatives.

Then SciPy fits a network written in JAX to the anomalies, together with a factor that is NumPy's:
the tape differentiates both.
"""

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import minimize

from chainrules_jax import from_jax, to_jax
from chainrules_py import primitive, scalar_rule
from chainrules_tape import value_and_grad

TIMES, ECCENTRICITY, PHASE = np.linspace(0.1, 6.0, 40), 0.4, 0.3


@primitive
def anomaly(m, ecc):
    """Eccentric anomaly E of an orbit: the root of E - ecc*sin(E) = m."""
    e = np.asarray(m) + 0.0 * ecc
    while np.max(np.abs(residual := e - ecc * np.sin(e) - m)) > 1e-12:
        e = e - residual / (1 - ecc * np.cos(e))
    return e


scalar_rule(anomaly, "m, ecc", "1 / (1 - ecc*cos(out))", "sin(out) / (1 - ecc*cos(out))")


def fitted_orbit():
    """The eccentricity and the phase, by Newton's method on the squares of what is left."""
    seen = np.cos(anomaly(TIMES + PHASE, ECCENTRICITY))
    solve = to_jax(anomaly)
    print(solve.explain(TIMES, ECCENTRICITY))

    def squares(orbit):
        return jnp.sum((jnp.cos(solve(TIMES + orbit[1], orbit[0])) - seen) ** 2)

    step = jax.jit(
        lambda orbit: (
            orbit - jnp.linalg.solve(jax.hessian(squares)(orbit), jax.grad(squares)(orbit))
        )
    )
    orbit = jnp.array([0.37, 0.33])
    for _ in range(6):
        orbit = step(orbit)
    return np.asarray(orbit)


def fitted_network():
    """How far a network is from the anomalies before and after SciPy has fitted it, in the mean
    square.
    """
    network = from_jax(lambda p, t: jnp.tanh(t[:, None] * p[:8] + p[8:16]) @ p[16:24] + p[24])
    wanted = anomaly(TIMES, ECCENTRICITY)

    def loss(parameters):
        return np.mean((np.exp(parameters[0]) * network(parameters[1:], TIMES / 3) - wanted) ** 2)

    start = np.random.default_rng(0).normal(size=26)
    result = minimize(value_and_grad(loss), start, jac=True, method="BFGS")
    return loss(start), result.fun


def main():
    with jax.enable_x64(True):
        print("eccentricity and phase:", fitted_orbit())
    print("mean square before and after: {:.3f} {:.6f}".format(*fitted_network()))


if __name__ == "__main__":
    main()
