"""Descents along gradients of samples, in three forms, for containers of arrays.

Each takes ``gradient(x, iteration)`` and calls ``callback(x, iteration, gradient)`` if there is
one. The steps are traced like any program, so that an optimization is differentiated through.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_tape.vectors import as_vector

Gradient = Callable[[Any, int], Any]


def unflatten_optimizer(optimize: Function) -> Function:
    """Have an optimizer of vectors, ``optimize(gradient, x0, callback, ...)``, take containers.

    >>> @unflatten_optimizer
    ... def one_step(gradient, x0, callback=None, size=0.25):
    ...     return x0 - size * gradient(x0, 0)
    >>> one_step(lambda p, i: {"a": 2 * p["a"]}, {"a": np.ones(2)})
    {'a': array([0.5, 0.5])}
    """

    @wraps(optimize)
    def optimize_container(grad: Gradient, x0, callback: Any = None, *args, **options):
        start, unflatten = as_vector(x0)

        def gradient(x, i: int) -> Any:
            return as_vector(grad(unflatten(x), i))[0]

        def report(x, i: int, bar) -> None:
            callback(unflatten(x), i, unflatten(bar))

        return unflatten(optimize(gradient, start, callback and report, *args, **options))

    return optimize_container


@unflatten_optimizer
def sgd(
    grad: Gradient,
    x0,
    callback: Any = None,
    num_iters: int = 200,
    step_size: float = 0.1,
    mass: float = 0.9,
) -> Any:
    """Descend with momentum.

    >>> float(sgd(lambda x, i: 2 * (x - 3.0), 0.0, num_iters=400).round(6))
    3.0
    """
    x, velocity = x0, 0.0
    for i in range(num_iters):
        bar = told(grad, x, i, callback)
        velocity = mass * velocity - (1.0 - mass) * bar
        x = x + step_size * velocity
    return x


@unflatten_optimizer
def rmsprop(
    grad: Gradient,
    x0,
    callback: Any = None,
    num_iters: int = 100,
    step_size: float = 0.1,
    gamma: float = 0.9,
    eps: float = 1e-8,
) -> Any:
    """Descend with each entry scaled by a running mean of its squares, which begins at one."""
    x, square = x0, 1.0
    for i in range(num_iters):
        bar = told(grad, x, i, callback)
        square = gamma * square + (1 - gamma) * bar**2
        x = x - step_size * bar / (np.sqrt(square) + eps)
    return x


@unflatten_optimizer
def adam(
    grad: Gradient,
    x0,
    callback: Any = None,
    num_iters: int = 100,
    step_size: float = 0.001,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
) -> Any:
    """Descend by Adam (Kingma and Ba, 2015, arXiv:1412.6980), whose means are corrected for their
    beginning at zero.
    """
    x, mean, square = x0, 0.0, 0.0
    for i in range(num_iters):
        bar = told(grad, x, i, callback)
        mean = b1 * mean + (1 - b1) * bar
        square = b2 * square + (1 - b2) * bar**2
        unbiased, unbiased_square = mean / (1 - b1 ** (i + 1)), square / (1 - b2 ** (i + 1))
        x = x - step_size * unbiased / (np.sqrt(unbiased_square) + eps)
    return x


def told(grad: Gradient, x, i: int, callback) -> Any:
    """The gradient, of which the callback is told if there is one."""
    bar = grad(x, i)
    if callback:
        callback(x, i, bar)
    return bar
