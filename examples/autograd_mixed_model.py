"""A robust fit in two engines: a model in autograd's NumPy, a loss in NumPy, and SciPy's optimiser
over both.

First autograd differentiates everything, with rules that it lacks itself (`install`). Then the
model alone stays autograd's, as a primitive in a NumPy program that our tape differentiates.
"""

# autograd makes its names and signatures at run time.
# pyright: reportAttributeAccessIssue=false, reportCallIssue=false

from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd import value_and_grad as autograd_value_and_grad
from scipy.optimize import minimize

from chainrules_autograd import from_autograd, install
from chainrules_tape import value_and_grad

TIMES = np.linspace(0.0, 4.0, 41)
TRUTH = {"amplitude": 2.0, "rate": 0.7, "frequency": 3.0}


def damped(p: dict[str, Any], t: Any) -> Any:
    """A damped oscillation, written for autograd."""
    return p["amplitude"] * anp.exp(-p["rate"] * t) * anp.cos(p["frequency"] * t)


def observations() -> np.ndarray:
    """The truth with a little noise, and a few readings that are far off."""
    rng = np.random.default_rng(0)
    seen = damped(TRUTH, TIMES) + 0.01 * rng.normal(size=TIMES.size)
    seen[::7] += 3.0
    return seen


def loss_in_autograd(x: Any, seen: np.ndarray) -> Any:
    """The sum of the thirty smallest squares, read by `take`, of which autograd has no rule."""
    squares = (damped(dict(zip(TRUTH, x, strict=True)), TIMES) - seen) ** 2
    return anp.sum(anp.take(anp.sort(squares), np.arange(30)))


model = from_autograd(damped)


def loss_in_numpy(x: Any, seen: np.ndarray) -> Any:
    """The sum of the thirty smallest squares, in plain NumPy around a model that autograd
    differentiates.
    """
    squares = (model(dict(zip(TRUTH, x, strict=True)), TIMES) - seen) ** 2
    return np.sum(np.sort(squares)[:30])


def fit(value_and_gradient: Any, seen: np.ndarray) -> np.ndarray:
    """The parameters that SciPy finds from a guess nearby."""
    found: np.ndarray = minimize(
        value_and_gradient, [1.8, 0.6, 2.9], args=(seen,), jac=True, method="BFGS"
    ).x
    return found


def main() -> None:
    """Print both fits."""
    seen = observations()
    installed = install()
    print("truth              ", np.array(list(TRUTH.values())))
    print("all in autograd    ", fit(autograd_value_and_grad(loss_in_autograd), seen).round(3))
    installed.undo()
    print("a model in our tape", fit(value_and_grad(loss_in_numpy), seen).round(3))


if __name__ == "__main__":
    main()
