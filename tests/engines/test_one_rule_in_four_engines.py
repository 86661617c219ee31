"""A user's rule, written once, in NumPy, autograd, JAX and PyTorch code, in both modes.

Three ways to write the rule: expressions of partial derivatives; a pair of functions on `xp`; a
pair that needs NumPy's own arrays. What is expected comes from finite differences. An engine is a
line of `ENGINES`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from chainrules_py import Array, frule, primitive, rrule, scalar_rule

X = np.array([0.3, 0.9, 1.4])
DIRECTION = np.array([0.7, -0.2, 1.1])


@primitive
def kepler(m: Any) -> Any:
    """The anomaly E of an orbit of eccentricity 0.4: the root of E - 0.4 sin(E) = m, in NumPy."""
    anomaly = np.asarray(m)
    for _ in range(30):
        anomaly = anomaly - (anomaly - 0.4 * np.sin(anomaly) - m) / (1 - 0.4 * np.cos(anomaly))
    return anomaly


scalar_rule(kepler, "m", "1 / (1 - 0.4*cos(out))")


@primitive
def smoothed(x: Any) -> Any:
    """A running mean of three, in NumPy."""
    return np.convolve(x, np.full(3, 1 / 3), mode="same")


@rrule.register(smoothed)
def smoothed_rrule(x: Array, *, xp: Any) -> Any:
    def smoothed_pullback(y_bar: Any) -> tuple[Any]:
        return (_three(y_bar, xp),)

    return _three(x, xp), smoothed_pullback


@frule.register(smoothed)
def smoothed_frule(dots: tuple[Any], x: Array, *, xp: Any) -> Any:
    return _three(x, xp), _three(dots[0], xp)


def _three(x: Any, xp: Any) -> Any:
    zero = xp.zeros_like(x[:1])
    return (xp.concatenate([zero, x[:-1]]) + x + xp.concatenate([x[1:], zero])) / 3


@primitive
def solved(b: Any) -> Any:
    """A linear solver that takes NumPy's arrays and nothing else."""
    return np.linalg.solve(_matrix(), np.array(b, dtype=float))


@rrule.register(solved)
def solved_rrule(b: Array) -> Any:
    def solved_pullback(y_bar: Any) -> tuple[Any]:
        return (np.linalg.solve(_matrix().T, np.array(y_bar, dtype=float)),)

    return solved(b), solved_pullback


@frule.register(solved)
def solved_frule(dots: tuple[Any], b: Array) -> Any:
    return solved(b), solved(dots[0])


def _matrix() -> np.ndarray:
    return np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 0.0, 4.0]])


class Engine(NamedTuple):
    """How a user of an engine writes the loss `sum(f(x) ** 2)` and takes its derivatives, at X and
    along DIRECTION.
    """

    gradient: Callable[[Callable[..., Any]], np.ndarray]
    slope: Callable[[Callable[..., Any]], float]


def in_tape() -> Engine:
    from chainrules_tape import grad, jvp

    def loss(f: Any) -> Any:
        return lambda x: np.sum(f(x) ** 2)

    return Engine(lambda f: grad(loss(f))(X), lambda f: jvp(loss(f), (X,), (DIRECTION,))[1])


def in_autograd() -> Engine:
    from autograd import grad, make_jvp

    def loss(f: Any) -> Any:
        return lambda x: (f(x) ** 2).sum()

    return Engine(lambda f: grad(loss(f))(X), lambda f: make_jvp(loss(f))(X)(DIRECTION)[1])


def in_jax() -> Engine:
    import jax

    def loss(f: Any) -> Any:
        return lambda x: (f(x) ** 2).sum()

    def gradient(f: Any) -> Any:
        with jax.enable_x64(True):
            return np.asarray(jax.jit(jax.grad(loss(f)))(X))

    def slope(f: Any) -> Any:
        with jax.enable_x64(True):
            return float(
                jax.jit(lambda x, x_dot: jax.jvp(loss(f), (x,), (x_dot,))[1])(X, DIRECTION)
            )

    return Engine(gradient, slope)


def in_torch() -> Engine:
    import torch

    def loss(f: Any) -> Any:
        return lambda x: (f(x) ** 2).sum()

    def gradient(f: Any) -> Any:
        x = torch.tensor(X, requires_grad=True)
        loss(f)(x).backward()
        return x.grad.numpy()

    def slope(f: Any) -> Any:
        return float(torch.func.jvp(loss(f), (torch.tensor(X),), (torch.tensor(DIRECTION),))[1])

    return Engine(gradient, slope)


# By the library that a test of it needs.
ENGINES = {"chainrules_tape": in_tape, "autograd": in_autograd, "jax": in_jax, "torch": in_torch}


@pytest.mark.parametrize("library", ENGINES)
@pytest.mark.parametrize("f", [kepler, smoothed, solved])
def test_both_modes(f: Callable[..., Any], library: str) -> None:
    pytest.importorskip(library)
    engine = ENGINES[library]()
    slope = np.sum(f(X + 1e-6 * DIRECTION) ** 2 - f(X - 1e-6 * DIRECTION) ** 2) / 2e-6
    assert np.isclose(engine.gradient(f) @ DIRECTION, slope, rtol=1e-7)
    assert np.isclose(engine.slope(f), slope, rtol=1e-7)
