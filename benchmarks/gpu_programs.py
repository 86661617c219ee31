"""The programs of the speed statements on devices: a loss, its gradient by hand, and its inputs,
each for any array namespace.

The gradients by hand are checked against the tape on NumPy by the tests, so that on a device only
time is in question.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class DeviceProgram:
    """`loss(xp, x, *constants)`, `by_hand(xp, x, *constants) -> (value, gradient)`, and NumPy
    arrays `inputs(size)`, x first.

    `sizes` are those of the statements, `small` is one for tests.
    """

    name: str
    loss: Callable[..., Any]
    by_hand: Callable[..., tuple[Any, Any]]
    inputs: Callable[[int], tuple[Any, ...]]
    sizes: tuple[int, ...]
    small: int


LARGE = 4096**2  # numbers of which a hundred arrays still have room on a device


def drawn(*shape: int) -> Any:
    """Normally distributed numbers, the same in every run."""
    return np.random.default_rng(0).normal(size=shape)


# 100 times sin and a factor

LENGTH, FACTOR = 100, 1.01


def chain_loss(xp: Any, x: Any) -> Any:
    """The sum of x after 100 times x = 1.01 sin(x)."""
    for _ in range(LENGTH):
        x = xp.sin(x) * FACTOR
    return xp.sum(x)


def chain_by_hand(xp: Any, x: Any) -> tuple[Any, Any]:
    """Compute the cosines in the reverse pass."""
    kept = []
    for _ in range(LENGTH):
        kept.append(x)
        x = xp.sin(x) * FACTOR
    value, x_bar = xp.sum(x), FACTOR**LENGTH * xp.ones_like(x)
    while kept:
        x_bar = x_bar * xp.cos(kept.pop())
    return value, x_bar


# Two layers; the gradient in the first layer's weights

BATCH = 256


def perceptron_loss(xp: Any, w: Any, v: Any, x: Any, target: Any) -> Any:
    """The mean squared error."""
    return xp.mean((xp.tanh(x @ w) @ v - target) ** 2)


def perceptron_by_hand(xp: Any, w: Any, v: Any, x: Any, target: Any) -> tuple[Any, Any]:
    """Backpropagation."""
    hidden = xp.tanh(x @ w)
    error = hidden @ v - target
    out_bar = 2 / error.size * error
    return xp.mean(error**2), x.T @ ((out_bar @ v.T) * (1 - hidden * hidden))


def perceptron_inputs(width: int) -> tuple[Any, ...]:
    """Weights, and a batch."""
    return (
        drawn(width, width) / width**0.5,
        drawn(width, width) / width**0.5,
        drawn(BATCH, width),
        drawn(BATCH, width),
    )


# Softmax cross-entropy

CLASSES = 1000


def cross_entropy_loss(xp: Any, logits: Any, target: Any) -> Any:
    """The mean over a batch."""
    shifted = logits - xp.amax(logits, axis=1, keepdims=True)
    return xp.mean(xp.log(xp.sum(xp.exp(shifted), axis=1)) - xp.sum(shifted * target, axis=1))


def cross_entropy_by_hand(xp: Any, logits: Any, target: Any) -> tuple[Any, Any]:
    """The softmax without the target."""
    shifted = logits - xp.amax(logits, axis=1, keepdims=True)
    weights = xp.exp(shifted)
    total = xp.sum(weights, axis=1, keepdims=True)
    value = xp.mean(xp.log(total[:, 0]) - xp.sum(shifted * target, axis=1))
    return value, (weights / total - target) / logits.shape[0]


def cross_entropy_inputs(batch: int) -> tuple[Any, ...]:
    """Logits, and one class each."""
    target = np.zeros((batch, CLASSES))
    target[np.arange(batch), np.arange(batch) % CLASSES] = 1
    return drawn(batch, CLASSES), target


# The likelihood of a mixture of unit Gaussians, in their means

COMPONENTS, DIMENSIONS = 32, 8


def mixture_loss(xp: Any, means: Any, points: Any) -> Any:
    """The mean logarithm of the sum of exponentials."""
    squares = xp.sum((points[:, None, :] - means) ** 2, axis=2)
    least = xp.amin(squares, axis=1, keepdims=True)
    return -xp.mean(xp.log(xp.sum(xp.exp(-0.5 * (squares - least)), axis=1)) - 0.5 * least[:, 0])


def mixture_by_hand(xp: Any, means: Any, points: Any) -> tuple[Any, Any]:
    """Distances, weighted by the responsibilities."""
    apart = points[:, None, :] - means
    squares = xp.sum(apart**2, axis=2)
    least = xp.amin(squares, axis=1, keepdims=True)
    weights = xp.exp(-0.5 * (squares - least))
    total = xp.sum(weights, axis=1, keepdims=True)
    value = -xp.mean(xp.log(total[:, 0]) - 0.5 * least[:, 0])
    return value, -xp.sum((weights / total)[:, :, None] * apart, axis=0) / points.shape[0]


def mixture_inputs(points: int) -> tuple[Any, ...]:
    """Means, and points."""
    return drawn(COMPONENTS, DIMENSIONS), drawn(points, DIMENSIONS)


# Deconvolution by FFT, with a penalty

PENALTY = 0.1


def deconvolution_loss(xp: Any, x: Any, kernel: Any, blurred: Any) -> Any:
    """The squared misfit and the penalty."""
    again = xp.fft.irfft(xp.fft.rfft(x) * xp.fft.rfft(kernel), x.shape[0])
    return xp.sum((again - blurred) ** 2) + PENALTY * xp.sum(x * x)


def deconvolution_by_hand(xp: Any, x: Any, kernel: Any, blurred: Any) -> tuple[Any, Any]:
    """The adjoint of a convolution is a correlation."""
    transfer = xp.fft.rfft(kernel)
    error = xp.fft.irfft(xp.fft.rfft(x) * transfer, x.shape[0]) - blurred
    back = xp.fft.irfft(xp.fft.rfft(error) * xp.conj(transfer), x.shape[0])
    return xp.sum(error**2) + PENALTY * xp.sum(x * x), 2 * back + 2 * PENALTY * x


def deconvolution_inputs(size: int) -> tuple[Any, ...]:
    """A signal, a kernel, and what was measured."""
    return drawn(size), np.exp(-np.arange(size) / 3.0), drawn(size)


def chain_inputs(size: int) -> tuple[Any, ...]:
    """The numbers that the chain starts from."""
    return (drawn(size),)


PROGRAMS = (
    DeviceProgram(
        "chain", chain_loss, chain_by_hand, chain_inputs, (10**3, 10**4, 10**6, LARGE), 5
    ),
    DeviceProgram(
        "perceptron", perceptron_loss, perceptron_by_hand, perceptron_inputs, (64, 2048, 4096), 4
    ),
    DeviceProgram(
        "softmax cross-entropy",
        cross_entropy_loss,
        cross_entropy_by_hand,
        cross_entropy_inputs,
        (32, 4096, 16384),
        6,
    ),
    DeviceProgram(
        "Gaussian mixture", mixture_loss, mixture_by_hand, mixture_inputs, (10**3, 10**6), 7
    ),
    DeviceProgram(
        "FFT deconvolution",
        deconvolution_loss,
        deconvolution_by_hand,
        deconvolution_inputs,
        (2**12, LARGE),
        12,
    ),
)
