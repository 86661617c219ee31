"""Descents along gradients of samples, in three forms, for containers of arrays.

Each takes ``gradient(x, iteration)`` and calls ``callback(x, iteration, gradient)`` if there is
one. The steps are traced like any program, so that an optimization is differentiated through.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from chainrules_tape.vectors import as_vector

Gradient = Callable[[Any, int], Any]
Step = Callable[[int, Any, Any], Any]


def unflatten_optimizer(optimize: Callable[..., Any]) -> Callable[..., Any]:
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


def descended(gradient: Gradient, x0, callback, iterations: int, step: Step) -> Any:
    """Run an optimizer whose step takes the iteration, the point and the gradient, as vectors."""
    x, unflatten = as_vector(x0)
    for i in range(iterations):
        bar = as_vector(gradient(unflatten(x), i))[0]
        if callback:
            callback(unflatten(x), i, unflatten(bar))
        x = step(i, x, bar)
    return unflatten(x)


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
    velocity: Any = 0.0

    def step(i: int, x, bar) -> Any:
        nonlocal velocity
        velocity = mass * velocity - (1.0 - mass) * bar
        return x + step_size * velocity

    return descended(grad, x0, callback, num_iters, step)


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
    square: Any = 1.0

    def step(i: int, x, bar) -> Any:
        nonlocal square
        square = gamma * square + (1 - gamma) * bar**2
        return x - step_size * bar / (np.sqrt(square) + eps)

    return descended(grad, x0, callback, num_iters, step)


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
    mean: Any = 0.0
    square: Any = 0.0

    def step(i: int, x, bar) -> Any:
        nonlocal mean, square
        mean = b1 * mean + (1 - b1) * bar
        square = b2 * square + (1 - b2) * bar**2
        unbiased, unbiased_square = mean / (1 - b1 ** (i + 1)), square / (1 - b2 ** (i + 1))
        return x - step_size * unbiased / (np.sqrt(unbiased_square) + eps)

    return descended(grad, x0, callback, num_iters, step)
