"""Functions that an equation defines: an orbit by Kepler's equation, and the rates of a
differential equation by a fit.

Neither is differentiated through its iterations. Run it: ``python examples/fitted_orbit.py`` (needs
SciPy).
"""

from typing import Any

import numpy as np
from scipy import integrate, optimize

from chainrules_py import implicit_function
from chainrules_tape import grad, value_and_grad

TIMES = np.linspace(0.0, 6.0, 7)
TRUTH = np.array([1.1, 0.4, 0.1, 0.4])


@implicit_function(residual=lambda x, m, ecc: x - ecc * np.sin(x) - m)
def anomaly(m: Any, ecc: Any) -> Any:
    """The eccentric anomaly x with x - ecc sin(x) = m, by Newton's method."""
    x = m
    for _ in range(50):
        x = x - (x - ecc * np.sin(x) - m) / (1 - ecc * np.cos(x))
    return x


def hares_and_foxes(t: float, y: Any, rates: Any) -> Any:
    """Both populations grow and shrink by the other one (Lotka 1920)."""
    hares, foxes = y
    return [hares * (rates[0] - rates[1] * foxes), foxes * (rates[2] * hares - rates[3])]


def populations(rates: Any) -> Any:
    """The populations at all times, a row each."""
    start = np.array([10.0, 5.0])
    solved = integrate.solve_ivp(
        hares_and_foxes, (0.0, 6.0), start, t_eval=TIMES, args=(rates,), rtol=1e-6, atol=1e-6
    )
    return solved.y


def loss(rates: Any, seen: Any) -> Any:
    """How far the populations are from those that were seen."""
    return np.mean((populations(rates) - seen) ** 2)


def fit(seen: Any) -> Any:
    """The rates that fit what was seen, by the gradient of the adjoint equation."""
    start, bounds = np.array([1.0, 0.3, 0.12, 0.5]), [(0.05, 2.0)] * 4
    return optimize.minimize(
        value_and_grad(loss), start, args=(seen,), jac=True, method="L-BFGS-B", bounds=bounds
    )


def main() -> None:
    """Print a derivative of the orbit and the fitted rates."""
    print("anomaly by eccentricity:", grad(anomaly, argnums=1)(1.0, 0.3))
    print("true rates:  ", TRUTH)
    print("fitted rates:", np.round(fit(populations(TRUTH)).x, 4))


if __name__ == "__main__":
    main()
