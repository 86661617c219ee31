"""A multilayer perceptron learns two spirals apart: parameters in a list of dicts, gradients in a
list of dicts.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from chainrules_tape import value_and_grad


def scores(layers: list[dict[str, Any]], inputs: Any) -> Any:
    """One score per class and input."""
    hidden = inputs
    for layer in layers[:-1]:
        hidden = np.tanh(hidden @ layer["w"] + layer["b"])
    return hidden @ layers[-1]["w"] + layers[-1]["b"]


def loss(layers: list[dict[str, Any]], inputs: Any, labels: Any) -> Any:
    """The mean cross-entropy."""
    z = scores(layers, inputs)
    log_partition = np.log(np.sum(np.exp(z), axis=1))
    return np.mean(log_partition - z[np.arange(len(labels)), labels])


def spirals(rng: np.random.Generator, count: int) -> tuple[Any, Any]:
    """Points on two arms of a spiral, and which arm."""
    labels = np.arange(count) % 2
    angle = rng.uniform(0.5, 2.0, count) * np.pi
    arm = angle + np.pi * labels
    return angle[:, None] / np.pi * np.stack([np.cos(arm), np.sin(arm)], axis=1), labels


def problem(
    seed: int = 0, widths: tuple[int, ...] = (2, 6, 5, 2), count: int = 24
) -> tuple[Any, ...]:
    """Random layers, points and labels."""
    rng = np.random.default_rng(seed)
    layers = [
        {"w": rng.normal(size=(m, n)) / np.sqrt(m), "b": 0.1 * rng.normal(size=n)}
        for m, n in pairwise(widths)
    ]
    return layers, *spirals(rng, count)


def descend(
    layers: list[dict[str, Any]], rate: float, *data: Any
) -> tuple[list[dict[str, Any]], float]:
    """One step of gradient descent, and the loss before it."""
    value, gradients = value_and_grad(loss)(layers, *data)
    stepped = [
        {name: layer[name] - rate * slope[name] for name in layer}
        for layer, slope in zip(layers, gradients, strict=True)
    ]
    return stepped, float(value)


def main() -> None:
    layers, *data = problem(widths=(2, 16, 16, 2), count=100)
    for step in range(301):
        layers, value = descend(layers, 0.5, *data)
        if step % 100 == 0:
            print(f"step {step}: loss {value:.4f}")


if __name__ == "__main__":
    main()
