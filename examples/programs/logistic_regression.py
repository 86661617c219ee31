"""Logistic regression by Newton's method: the gradient and the Hessian of a few lines of NumPy."""

from typing import Any

import numpy as np

from chainrules_tape import grad, hessian


def loss(weights: Any, features: Any, labels: Any, ridge: float) -> Any:
    """The mean negative log-likelihood of labels -1 and 1, and a ridge."""
    margins = labels * (features @ weights)
    return np.mean(np.logaddexp(0.0, -margins)) + 0.5 * ridge * np.sum(weights**2)


def problem(seed: int = 0) -> tuple[Any, ...]:
    """Weights to start from, features with an intercept, labels, and the ridge."""
    rng = np.random.default_rng(seed)
    features = np.column_stack([np.ones(60), rng.normal(size=(60, 3))])
    labels = np.where(features @ rng.normal(size=4) + rng.normal(size=60) > 0, 1.0, -1.0)
    return np.zeros(4), features, labels, 1e-2


def newton(weights: Any, *data: Any, steps: int = 6) -> tuple[Any, list[float]]:
    """The minimiser, and the norm of the gradient before each step."""
    norms = []
    for _ in range(steps):
        gradient = grad(loss)(weights, *data)
        norms.append(float(np.linalg.norm(gradient)))
        weights = weights - np.linalg.solve(hessian(loss)(weights, *data), gradient)
    return weights, norms


def main() -> None:
    weights, norms = newton(*problem())
    print("norm of the gradient:", *(f"{norm:.1e}" for norm in norms))
    print("weights:", weights)


if __name__ == "__main__":
    main()
