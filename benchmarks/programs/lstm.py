"""A two-layer LSTM that predicts the next character, the third objective of ADBench (Šrajer,
Kukelova, Fitzgibbon 2018).

The weights are diagonal: each gate is a vector times a vector. A character is a vector of 14
numbers; the loss is minus the mean of the predicted log-probabilities at what came next, over 1,024
characters. ADBench's definition of a layer, with s the logistic function, x its input, and h and c
its state:

    forget = s(x*w0 + b0), in = s(h*w1 + b1), out = s(x*w2 + b2), change = tanh(h*w3 + b3)
    c = c * forget + in * change, h = out * tanh(c)
"""

from itertools import pairwise
from typing import Any

from benchmarks.programs.program import UNROLLED, Arrays, Program, normal

LAYERS, BITS, CHARACTERS = 2, 14, 1024


def objective(xp: Any, parameters: Any, data: Any) -> Any:
    """Minus the mean log-likelihood of a sequence."""
    weights, biases, scale_in, scale_out, offset = parameters
    hidden, cells, sequence = data
    layers = [(weights[k], biases[k]) for k in range(LAYERS)]
    state = [(hidden[k], cells[k]) for k in range(LAYERS)]
    total = 0.0
    for before, after in pairwise(sequence):
        x = before * scale_in
        for k, (weight, bias) in enumerate(layers):
            state[k] = x, _ = layer(xp, weight, bias, *state[k], x)
        scores = x * scale_out + offset
        total = total + xp.sum(after * (scores - xp.log(xp.sum(xp.exp(scores)) + 2)))
    return -total / ((CHARACTERS - 1) * BITS)


def layer(xp: Any, weight: Any, bias: Any, hidden: Any, cell: Any, x: Any) -> tuple[Any, Any]:
    """One step of one layer; its input may be the state of the layer below."""
    gates = xp.concatenate([x, hidden, x, hidden]) * weight + bias
    open_gates = 1 / (1 + xp.exp(-gates[: 3 * BITS]))
    change = xp.tanh(gates[3 * BITS :])
    cell = cell * open_gates[:BITS] + open_gates[BITS : 2 * BITS] * change
    return open_gates[2 * BITS :] * xp.tanh(cell), cell


def inputs() -> tuple[Arrays, Arrays]:
    """Random parameters and characters."""
    parameters = (
        normal(LAYERS, 4 * BITS),
        normal(LAYERS, 4 * BITS, seed=1),
        normal(BITS),
        normal(BITS, seed=1),
        normal(BITS, seed=2),
    )
    sequence = (normal(CHARACTERS, BITS) > 0).astype(float)
    return parameters, (normal(LAYERS, BITS), normal(LAYERS, BITS, seed=1), sequence)


def lstm() -> Program:
    """The LSTM as a program to be differentiated."""
    left_out = UNROLLED | dict.fromkeys(
        ("mygrad", "ours on array_api_strict's"),
        "many seconds for one gradient",
    )
    return Program("LSTM, 1024 characters", objective, inputs, left_out=left_out)
