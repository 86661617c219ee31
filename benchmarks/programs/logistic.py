"""Logistic regression of one feature on many rows: elementwise operations on large arrays, and sums."""

from typing import Any

import numpy as np

from benchmarks.programs.program import Arrays, Program, normal


def objective(xp: Any, parameters: Any, data: Any) -> Any:
    """The mean of log(1 + exp(-margin)), stable for margins of either sign."""
    (weights,) = parameters
    feature, label = data
    margin = label * (feature * weights[0] + weights[1])
    size = xp.abs(margin)
    losses = 0.5 * (size - margin) + xp.log(1.0 + xp.exp(-size))
    return xp.sum(losses) / len(label)


def by_hand(parameters: Arrays, data: Arrays) -> tuple[Any, Arrays]:
    """The residuals times the features, in few arrays."""
    (weights,) = parameters
    feature, label = data
    margin = feature * weights[0]
    margin += weights[1]
    margin *= label
    small = np.abs(margin)
    np.negative(small, out=small)
    np.exp(small, out=small)  # exp(-|margin|)
    total = 1.0 + small
    is_positive = margin > 0.0
    np.negative(margin, out=margin)
    value = np.sum(np.maximum(margin, 0.0, out=margin)) + np.sum(np.log(total))
    # the derivative of the loss by the margin: -exp(-margin) / (1 + exp(-margin))
    residual = np.where(is_positive, small, 1.0)
    residual /= total
    residual *= label
    slopes = np.array([residual @ feature, np.sum(residual)])
    return value / len(label), (slopes / -len(label),)


def logistic(rows: int) -> Program:
    """The regression on that many rows."""

    def inputs() -> tuple[Arrays, Arrays]:
        feature = normal(rows)
        label = np.where(normal(rows, seed=1) + feature > 0.0, 1.0, -1.0)
        return (np.array([0.4, -0.2]),), (feature, label)

    return Program(f"logistic regression, {rows} rows", objective, inputs, by_hand)
