"""Stands for an extension module: takes arrays as Cython does where it says ``double[::1]``."""

from math import exp
from typing import Any


def require_buffer(x) -> Any:
    """Return the memory of an array, which has to be contiguous and writable, of float64."""
    view = memoryview(x)
    if view.readonly:
        raise ValueError("buffer source array is read-only")
    if view.ndim != 1 or view.format != "d" or not view.c_contiguous:
        raise ValueError("expected a contiguous buffer of one axis, of doubles")
    return view


def logistic(x, out) -> None:
    """Write 1 / (1 + exp(-x)) into `out`."""
    x, out = require_buffer(x), require_buffer(out)
    for i in range(len(out)):
        out[i] = 1 / (1 + exp(-x[i]))


def trapezoids(y, x) -> float:
    """Return the integral of the line through the points (x, y)."""
    y, x = require_buffer(y), require_buffer(x)
    total = 0.0
    for i in range(len(x) - 1):
        total += (y[i] + y[i + 1]) * (x[i + 1] - x[i]) / 2
    return total


def eliminate(lower, diagonal, upper, out) -> None:
    """Solve a tridiagonal system by elimination; `out` has the right side, then the solution."""
    lower, upper = require_buffer(lower), require_buffer(upper)
    pivots, out = require_buffer(diagonal.copy()), require_buffer(out)
    for i in range(1, len(out)):
        factor = lower[i - 1] / pivots[i - 1]
        pivots[i] -= factor * upper[i - 1]
        out[i] -= factor * out[i - 1]

    out[-1] /= pivots[-1]
    for i in reversed(range(len(out) - 1)):
        out[i] = (out[i] - upper[i] * out[i + 1]) / pivots[i]
