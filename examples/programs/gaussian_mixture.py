"""A Gaussian mixture, by gradient ascent on its log-likelihood."""

from typing import Any

import numpy as np

from chainrules_tape import value_and_grad


def log_sum_exp(x: Any) -> Any:
    """log sum exp over the last axis, without overflow."""
    m = np.max(x, axis=-1, keepdims=True)
    return np.log(np.sum(np.exp(x - m), axis=-1)) + m[..., 0]


def whitening(log_diagonal: Any, below: Any) -> Any:
    """Lower triangular inverse factors of the covariances, one per component; the diagonal is
    positive.
    """
    dim = log_diagonal.shape[-1]
    rows, columns = np.tril_indices(dim, -1)
    place = np.zeros((len(rows), dim, dim))
    place[np.arange(len(rows)), rows, columns] = 1.0
    return np.exp(log_diagonal)[..., None] * np.eye(dim) + np.tensordot(below, place, 1)


def loss(parameters: dict[str, Any], points: Any) -> Any:
    """The negative mean log-likelihood: weights by softmax, covariances by inverse Cholesky
    factors.
    """
    factors = whitening(parameters["log_diagonal"], parameters["below"])
    centred = points[:, None, :] - parameters["means"]
    white = np.einsum("kij,nkj->nki", factors, centred)
    log_density = np.sum(parameters["log_diagonal"], axis=1) - 0.5 * np.sum(white**2, axis=-1)
    log_weights = parameters["scores"] - log_sum_exp(parameters["scores"])
    constant = 0.5 * points.shape[1] * np.log(2 * np.pi)
    return constant - np.mean(log_sum_exp(log_weights + log_density))


def problem(seed: int = 0, count: int = 30, components: int = 3, dim: int = 3) -> tuple[Any, ...]:
    """Random parameters, and points around random centres."""
    rng = np.random.default_rng(seed)
    parameters = {
        "scores": rng.normal(size=components),
        "means": rng.normal(size=(components, dim)),
        "log_diagonal": 0.2 * rng.normal(size=(components, dim)),
        "below": 0.3 * rng.normal(size=(components, dim * (dim - 1) // 2)),
    }
    centres = 2 * rng.normal(size=(components, dim))
    return parameters, centres[rng.integers(components, size=count)] + rng.normal(size=(count, dim))


def main() -> None:
    parameters, points = problem(count=200)
    for step in range(301):
        value, slopes = value_and_grad(loss)(parameters, points)
        parameters = {name: parameters[name] - 0.2 * slopes[name] for name in parameters}
        if step % 100 == 0:
            print(f"step {step}: negative log-likelihood {value:.4f}")


if __name__ == "__main__":
    main()
