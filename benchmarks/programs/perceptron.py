"""A perceptron with two hidden layers, batch 32, widths 64: the size at which small networks are
trained without a GPU.
"""

from typing import Any

import numpy as np

from benchmarks.programs.program import Arrays, Program, normal

BATCH, WIDTH = 32, 64


def objective(xp: Any, parameters: Any, data: Any) -> Any:
    """The mean squared error."""
    w1, b1, w2, b2, w3, b3 = parameters
    x, target = data
    h1 = xp.tanh(xp.matmul(x, w1) + b1)
    h2 = xp.tanh(xp.matmul(h1, w2) + b2)
    error = xp.matmul(h2, w3) + b3 - target
    return xp.mean(error * error)


def by_hand(parameters: Arrays, data: Arrays) -> tuple[Any, Arrays]:
    """Backpropagation."""
    w1, b1, w2, b2, w3, b3 = parameters
    x, target = data
    h1 = np.tanh(x @ w1 + b1)
    h2 = np.tanh(h1 @ w2 + b2)
    error = h2 @ w3 + b3 - target
    y_bar = error * (2 / error.size)
    a2_bar = y_bar @ w3.T * (1 - h2 * h2)
    a1_bar = a2_bar @ w2.T * (1 - h1 * h1)
    weights = (
        x.T @ a1_bar,
        a1_bar.sum(0),
        h1.T @ a2_bar,
        a2_bar.sum(0),
        h2.T @ y_bar,
        y_bar.sum(0),
    )
    return np.mean(error * error), weights


def inputs() -> tuple[Arrays, Arrays]:
    """Three layers of the same width."""
    layers = [
        (normal(WIDTH, WIDTH, seed=k, scale=0.1), normal(WIDTH, seed=k, scale=0.1))
        for k in range(3)
    ]
    return tuple(part for layer in layers for part in layer), (
        normal(BATCH, WIDTH, seed=3),
        normal(BATCH, WIDTH, seed=4),
    )


def perceptron() -> Program:
    """The perceptron as a program to be differentiated."""
    return Program("perceptron, batch 32, widths 64", objective, inputs, by_hand)
