"""A recurrent network reads a sequence one step at a time: the gradient goes back through every
step.
"""

from typing import Any, NamedTuple

import numpy as np

from chainrules_tape import value_and_grad


class Parameters(NamedTuple):
    """Weights from input, state and bias to the next state, and from the state to the output."""

    w_in: Any
    w_state: Any
    bias: Any
    w_out: Any


def loss(parameters: Parameters, inputs: Any, targets: Any) -> Any:
    """The mean squared error of what is predicted at each step, for a batch of sequences (time,
    batch, features).
    """
    state = np.zeros((inputs.shape[1], len(parameters.bias)))
    total = 0.0
    for x, target in zip(inputs, targets, strict=True):
        state = np.tanh(x @ parameters.w_in + state @ parameters.w_state + parameters.bias)
        total = total + np.sum((state @ parameters.w_out - target) ** 2)
    return total / targets.size


def problem(seed: int = 0, steps: int = 12, width: int = 5, batch: int = 3) -> tuple[Any, ...]:
    """Sequences of noise; the target is their running mean."""
    rng = np.random.default_rng(seed)
    shapes = ((2, width), (width, width), (width,), (width, 1))
    parameters = Parameters(*(rng.normal(size=shape) / np.sqrt(width) for shape in shapes))
    inputs = rng.normal(size=(steps, batch, 2))
    targets = np.cumsum(inputs[..., :1], axis=0) / np.arange(1, steps + 1)[:, None, None]
    return parameters, inputs, targets


def main() -> None:
    parameters, *data = problem(width=16, batch=16)
    for step in range(201):
        value, slopes = value_and_grad(loss)(parameters, *data)
        parameters = Parameters(
            *(p - 0.2 * slope for p, slope in zip(parameters, slopes, strict=True))
        )
        if step % 50 == 0:
            print(f"step {step}: loss {value:.4f}")


if __name__ == "__main__":
    main()
