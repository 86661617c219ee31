"""The log-posterior of a Gaussian mixture, the first objective of ADBench.

F. Šrajer, Z. Kukelova, A. Fitzgibbon: A benchmark of selected algorithmic differentiation tools on
some problems in computer vision and machine learning. Optimization Methods and Software 33 (2018),
section 4.1. Each component has the logarithm of its weight, a mean, and a lower triangular factor
of its inverse covariance: the logarithms of its diagonal, and what is below it. The factor has a
Wishart prior. Constants of the prior's normalisation do not depend on the parameters, and are left
out.
"""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.programs.program import Arrays, Program, normal

# one of ADBench's instances; another has ten times the points
POINTS, DIMENSION, COMPONENTS = 1000, 10, 5
GAMMA, M = 1.0, 2.0  # of the Wishart prior


def objective(xp: Any, parameters: Any, data: Any) -> Any:
    """The sum over points of log(sum over components of the density), and the prior."""
    alphas, means, log_diagonals, below = parameters
    x, place, nothing, eye = data
    # `place` points to `nothing` on and above the diagonal
    strict = xp.concatenate([below, nothing], axis=1)[:, place]
    diagonals = xp.exp(log_diagonals)
    factors = strict + diagonals[:, :, None] * eye
    y = xp.matmul(x[None] - means[:, None], xp.swapaxes(factors, 1, 2))
    heights = alphas + xp.sum(log_diagonals, axis=1)
    terms = heights[:, None] - 0.5 * xp.sum(xp.square(y), axis=2)
    norms = xp.sum(xp.square(diagonals)) + xp.sum(xp.square(below))
    prior = M * xp.sum(log_diagonals) - 0.5 * GAMMA**2 * norms
    return xp.sum(log_sum_exp(xp, terms)) - len(x) * log_sum_exp(xp, alphas) + prior


def log_sum_exp(xp: Any, terms: Any) -> Any:
    """log(sum(exp(terms))) over the first axis, without overflow."""
    largest = xp.amax(terms, axis=0)
    return largest + xp.log(xp.sum(xp.exp(terms - largest), axis=0))


def by_hand(parameters: Arrays, data: Arrays) -> tuple[Any, Arrays]:
    """With p the responsibilities, y_bar = -p y; the rest is linear algebra."""
    alphas, means, log_diagonals, below = parameters
    x, place, nothing, eye = data
    rows, columns = np.tril_indices(DIMENSION, -1)
    diagonals = np.exp(log_diagonals)
    factors = np.concatenate([below, nothing], axis=1)[:, place] + diagonals[:, :, None] * eye
    centred = x[None] - means[:, None]
    y = centred @ factors.swapaxes(1, 2)
    terms = (alphas + log_diagonals.sum(1))[:, None] - 0.5 * np.sum(y * y, axis=2)
    largest = np.max(terms, axis=0)
    shares = np.exp(terms - largest)
    total = shares.sum(0)
    shares /= total
    weights = np.exp(alphas - np.max(alphas))
    value = np.sum(largest + np.log(total)) - len(x) * (np.max(alphas) + np.log(weights.sum()))
    value += M * log_diagonals.sum() - 0.5 * GAMMA**2 * (np.sum(diagonals**2) + np.sum(below**2))

    y_bar = -shares[:, :, None] * y
    factors_bar = y_bar.swapaxes(1, 2) @ centred
    counts = shares.sum(1)
    alphas_bar = counts - len(x) * weights / weights.sum()
    means_bar = -(y_bar.sum(1)[:, None] @ factors)[:, 0]
    on_diagonal = np.einsum("kii->ki", factors_bar) * diagonals
    log_diagonals_bar = counts[:, None] + on_diagonal + M - GAMMA**2 * diagonals**2
    return value, (
        alphas_bar,
        means_bar,
        log_diagonals_bar,
        factors_bar[:, rows, columns] - GAMMA**2 * below,
    )


def inputs(points: int = POINTS) -> tuple[Arrays, Arrays]:
    """Parameters of `COMPONENTS` components, and points."""
    d, k = DIMENSION, COMPONENTS
    count = d * (d - 1) // 2
    place = np.full((d, d), count)
    place[np.tril_indices(d, -1)] = np.arange(count)
    parameters = (
        normal(k),
        normal(k, d),
        normal(k, d, seed=1, scale=0.3),
        normal(k, count, scale=0.3),
    )
    return parameters, (normal(points, d), place, np.zeros((k, 1)), np.eye(d))


def mixture() -> Program:
    """The Gaussian mixture as a program to be differentiated."""
    return Program("Gaussian mixture", objective, inputs, by_hand)


def large_mixture() -> Program:
    """The program on so many points that the arithmetic decides."""
    points = 10 * POINTS
    return Program(
        f"Gaussian mixture, {points} points", objective, partial(inputs, points), by_hand
    )
