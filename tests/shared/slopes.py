"""Central differences of plain values, and a function of one number held to them in both modes and
at second order.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from chainrules_tape import grad, hessian, jvp, vjp


def quotients(function: Callable[[Any], Any], x: float | np.ndarray, step: float = 1e-6):
    """The derivative of a function of a number, as precise as the fourth power of the step, or the
    Jacobian of one of an array, whose last axis is that of the entries of the array.
    """
    if isinstance(x, float):
        near, far = (function(x + h) - function(x - h) for h in (step, 2 * step))
        return (8 * near - far) / (12 * step)
    units = step * np.eye(x.size).reshape(x.size, *x.shape)
    return np.stack([(function(x + e) - function(x - e)) / (2 * step) for e in units], axis=-1)


def along(function: Callable[..., Any], args: Sequence[Any], position: int) -> Callable[[Any], Any]:
    """A function of several arguments as one of the argument at a position."""
    return lambda x: function(*args[:position], x, *args[position + 1 :])


def check_slopes(f: Callable[[Any], Any], x: float, second_order: bool = True) -> None:
    """Compare value, gradient, derivative along a tangent and second derivative of a function in
    the scope with differences.
    """
    expected = quotients(f, x, 1e-5)
    assert vjp(f, x)[0] == pytest.approx(f(x), rel=1e-14)
    assert grad(f)(x) == pytest.approx(expected, rel=1e-7)
    assert jvp(f, (x,), (1.0,))[1] == pytest.approx(expected, rel=1e-7)
    if second_order:
        step = 1e-4
        curvature = (f(x + step) - 2 * f(x) + f(x - step)) / step**2
        assert hessian(f)(x) == pytest.approx(curvature, rel=1e-5, abs=1e-5)
