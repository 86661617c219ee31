"""The programs of the speed statements: a loss, its gradient by hand, and its inputs, each for any array namespace.

The gradients by hand are checked against the tape on NumPy (`test_gpu_programs`), so that on a device only time is in question.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Program:
    """`loss(x, *constants)`, `by_hand(xp, x, *constants) -> (value, gradient)`, and NumPy arrays `inputs(size)`, x first."""

    name: str
    loss: Callable[..., Any]
    by_hand: Callable[..., tuple[Any, Any]]
    inputs: Callable[[int], tuple[Any, ...]]
    sizes: tuple[int, ...]


def drawn(*shape):
    return np.random.default_rng(0).normal(size=shape)


# 100 times sin and a factor

LENGTH, FACTOR = 100, 1.01


def chain_loss(x):
    for _ in range(LENGTH):
        x = np.sin(x) * FACTOR
    return np.sum(x)


def chain_by_hand(xp, x):
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


def perceptron_loss(w, v, x, target):
    return np.mean((np.tanh(x @ w) @ v - target) ** 2)


def perceptron_by_hand(xp, w, v, x, target):
    hidden = xp.tanh(x @ w)
    error = hidden @ v - target
    out_bar = 2 / error.size * error
    return xp.mean(error**2), x.T @ ((out_bar @ v.T) * (1 - hidden * hidden))


def perceptron_inputs(width):
    return drawn(width, width) / width**0.5, drawn(width, width) / width**0.5, drawn(BATCH, width), drawn(BATCH, width)


# Softmax cross-entropy

CLASSES = 1000


def cross_entropy_loss(logits, target):
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(shifted), axis=1)) - np.sum(shifted * target, axis=1))


def cross_entropy_by_hand(xp, logits, target):
    shifted = logits - xp.max(logits, axis=1, keepdims=True)
    weights = xp.exp(shifted)
    total = xp.sum(weights, axis=1, keepdims=True)
    value = xp.mean(xp.log(total[:, 0]) - xp.sum(shifted * target, axis=1))
    return value, (weights / total - target) / logits.shape[0]


def cross_entropy_inputs(batch):
    target = np.zeros((batch, CLASSES))
    target[np.arange(batch), np.arange(batch) % CLASSES] = 1
    return drawn(batch, CLASSES), target


# The likelihood of a mixture of unit Gaussians, in their means

COMPONENTS, DIMENSIONS = 32, 8


def mixture_loss(means, points):
    squares = np.sum((points[:, None, :] - means) ** 2, axis=2)
    least = np.min(squares, axis=1, keepdims=True)
    return -np.mean(np.log(np.sum(np.exp(-0.5 * (squares - least)), axis=1)) - 0.5 * least[:, 0])


def mixture_by_hand(xp, means, points):
    apart = points[:, None, :] - means
    squares = xp.sum(apart**2, axis=2)
    least = xp.min(squares, axis=1, keepdims=True)
    weights = xp.exp(-0.5 * (squares - least))
    total = xp.sum(weights, axis=1, keepdims=True)
    value = -xp.mean(xp.log(total[:, 0]) - 0.5 * least[:, 0])
    return value, -xp.sum((weights / total)[:, :, None] * apart, axis=0) / points.shape[0]


def mixture_inputs(points):
    return drawn(COMPONENTS, DIMENSIONS), drawn(points, DIMENSIONS)


# Deconvolution by FFT, with a penalty

PENALTY = 0.1


def deconvolution_loss(x, kernel, blurred):
    again = np.fft.irfft(np.fft.rfft(x) * np.fft.rfft(kernel), x.shape[0])
    return np.sum((again - blurred) ** 2) + PENALTY * np.sum(x * x)


def deconvolution_by_hand(xp, x, kernel, blurred):
    transfer = xp.fft.rfft(kernel)
    error = xp.fft.irfft(xp.fft.rfft(x) * transfer, x.shape[0]) - blurred
    back = xp.fft.irfft(xp.fft.rfft(error) * xp.conj(transfer), x.shape[0])
    return xp.sum(error**2) + PENALTY * xp.sum(x * x), 2 * back + 2 * PENALTY * x


def deconvolution_inputs(size):
    return drawn(size), np.exp(-np.arange(size) / 3.0), drawn(size)


PROGRAMS = (
    Program("chain", chain_loss, chain_by_hand, lambda size: (drawn(size),), (10**3, 10**4, 10**6, 10**8)),
    Program("perceptron", perceptron_loss, perceptron_by_hand, perceptron_inputs, (64, 2048)),
    Program("softmax cross-entropy", cross_entropy_loss, cross_entropy_by_hand, cross_entropy_inputs, (32, 4096)),
    Program("Gaussian mixture", mixture_loss, mixture_by_hand, mixture_inputs, (10**3, 10**6)),
    Program("FFT deconvolution", deconvolution_loss, deconvolution_by_hand, deconvolution_inputs, (2**12, 2**24)),
)
