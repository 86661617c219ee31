"""Interpolants that are cubic between the knots, written in functions that have rules.

Between two knots they are fixed by the values and the slopes there. So an interpolant is a way to
find slopes, as in `scipy.interpolate`: after F. N. Fritsch, J. Butland (1984) for "pchip", H. Akima
(1970) for "akima".
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg

from chainrules_py.rulesets.scipy.linalg.calling import call

# conditions at an end: the order of a derivative and its value
NAMED: dict[str, Any] = {"natural": (2, 0.0), "clamped": (1, 0.0)}


def along_first_axis(v, like) -> Any:
    """A vector along the first axis of an array."""
    return np.reshape(v, (-1,) + (1,) * (like.ndim - 1))


def pchip_slopes(x, y):
    """Harmonic means of the slopes on both sides, 0 where the values turn."""
    h = along_first_axis(np.diff(x), y)
    m = np.diff(y, axis=0) / h
    if len(x) == 2:
        return np.concatenate([m, m])
    flat = (np.sign(m[1:]) != np.sign(m[:-1])) | (m[1:] == 0) | (m[:-1] == 0)
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    mean = (w1 / np.where(flat, 1, m[:-1]) + w2 / np.where(flat, 1, m[1:])) / (w1 + w2)
    inner = np.where(flat, 0, 1 / np.where(flat, 1, mean))
    first = pchip_end(h[:1], h[1:2], m[:1], m[1:2])
    last = pchip_end(h[-1:], h[-2:-1], m[-1:], m[-2:-1])
    return np.concatenate([first, inner, last])


def pchip_end(h0, h1, m0, m1) -> Any:
    """The slope at an end, from three points, limited so that values stay monotone."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    too_steep = (np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3 * np.abs(m0))
    return np.where(np.sign(d) != np.sign(m0), 0, np.where(too_steep, 3 * m0, d))


def akima_slopes(x, y, method: str = "akima"):
    """Means of the slopes on both sides, weighted by how little they change beyond."""
    inner = np.diff(y, axis=0) / along_first_axis(np.diff(x), y)
    if len(x) == 2:
        return np.concatenate([inner, inner])
    before = 2 * inner[:1] - inner[1:2]
    behind = 2 * inner[-1:] - inner[-2:-1]
    m = np.concatenate([2 * before - inner[:1], before, inner, behind, 2 * behind - inner[-1:]])
    change = np.abs(np.diff(m, axis=0))
    if method == "makima":
        change = change + 0.5 * np.abs(m[1:] + m[:-1])
    after, ahead = change[2:], change[:-2]
    total = after + ahead
    moves = total > 1e-9 * np.max(total, initial=-np.inf)
    weighted = m[1:-2] + ahead / np.where(moves, total, 1) * (m[2:-1] - m[1:-2])
    return np.where(moves, weighted, 0.5 * (m[3:] + m[:-3]))


def spline_slopes(x, y, bc_type: Any = "not-a-knot") -> Any:
    """The slopes that make the second derivative continuous: a tridiagonal system."""
    h, n = np.diff(x), len(x)
    m = np.diff(y, axis=0) / along_first_axis(h, y)
    if isinstance(bc_type, str):
        if bc_type == "periodic":
            return periodic_slopes(h, m, y)
        bc_type = (bc_type, bc_type)
    start, end = [NAMED.get(each, each) if isinstance(each, str) else each for each in bc_type]
    if n == 2:  # a straight line, whose slope is given twice
        line = (1, m[0])
        start = line if start == "not-a-knot" else start
        end = line if end == "not-a-knot" else end
    if n == 3 and start == end == "not-a-knot":
        return parabola_slopes(h, m)

    wide = along_first_axis(h, y)
    inner = 3 * (wide[1:] * m[:-1] + wide[:-1] * m[1:])
    first_own, first_next, first_right = end_row(start, h, m, y, 1)
    last_own, last_next, last_right = end_row(end, h[::-1], m[::-1], y[::-1], -1)

    upper = np.concatenate([np.reshape(first_next, 1), h[:-1]])
    inside = 2 * (h[:-1] + h[1:])
    middle = np.concatenate([np.reshape(first_own, 1), inside, np.reshape(last_own, 1)])
    lower = np.concatenate([h[1:], np.reshape(last_next, 1)])
    right = np.concatenate([first_right[None], inner, last_right[None]])
    return solve_tridiagonal(upper, middle, lower, right)


def parabola_slopes(h, m) -> Any:
    """The slopes of the parabola through three points, whose second derivative is 2 c."""
    c = np.diff(m, axis=0) / (h[0] + h[1])
    return np.concatenate([m[:1] - h[0] * c, m[:1] + h[0] * c, m[1:] + h[1] * c])


def solve_tridiagonal(upper, middle, lower, rhs) -> Any:
    """The solution of a system whose matrix has these diagonals; the axes of `rhs` behind the first
    are columns.
    """
    zero = np.zeros(1)
    bands = np.stack([np.concatenate([zero, upper]), middle, np.concatenate([lower, zero])])
    columns = np.reshape(rhs, (rhs.shape[0], -1))  # of more axes, SciPy makes a stack of systems
    return np.reshape(call(linalg.solve_banded, (1, 1), bands, columns), rhs.shape)


def end_row(condition, h, m, y, sign: int) -> tuple[Any, Any, Any]:
    """The equation at an end: its two entries, outermost first, and the right-hand side."""
    if isinstance(condition, str):
        d = h[0] + h[1]
        return h[1], d, ((h[0] + 2 * d) * h[1] * m[0] + h[0] ** 2 * m[1]) / d
    order, value = condition
    value = value * np.ones_like(m[0])
    if order == 1:
        return 1.0, 0.0, value
    return 2 * h[0], h[0], -0.5 * sign * value * h[0] ** 2 + 3 * (sign * (y[1] - y[0]))


def periodic_slopes(h, m, y) -> Any:
    """The last slope is the first one: a circle of equations."""
    n = h.shape[0]
    before = np.roll(h, 1)
    shift = np.roll(np.eye(n), 1, axis=0)  # entry i of shift @ v is v[i - 1]
    matrix = np.reshape(2 * (h + before), (-1, 1)) * np.eye(n) + np.reshape(h, (-1, 1)) * shift
    matrix = matrix + np.reshape(before, (-1, 1)) * shift.T
    rhs = 3 * (along_first_axis(h, y) * np.roll(m, 1, axis=0) + along_first_axis(before, y) * m)
    s = np.reshape(np.linalg.solve(matrix, np.reshape(rhs, (n, -1))), rhs.shape)
    return np.concatenate([s, s[:1]])


def hermite_coefficients(x, y, slopes) -> list[Any]:
    """The coefficients of the powers of the distance from the knot before, the highest first."""
    h = along_first_axis(np.diff(x), y)
    m = np.diff(y, axis=0) / h
    t = (slopes[:-1] + slopes[1:] - 2 * m) / h
    return [t / h, (m - slopes[:-1]) / h - t, slopes[:-1], y[:-1]]


def at_points(values: Callable[[Any], Any], points, first, last, extrapolate) -> Any:
    """The values at points of a function on a range, continued outside of it.

    The shape of the points comes in the place of the first axis.
    """
    flat = np.reshape(points, -1)
    if extrapolate == "periodic":
        flat = first + (flat - first) % (last - first)
    y = values(flat)
    if extrapolate is False:
        y = np.where(along_first_axis((flat < first) | (flat > last), y), np.nan, y)
    return np.reshape(y, (*np.shape(points), *y.shape[1:]))


def piecewise(coefficients: list[Any], x, points, nu: int, extrapolate) -> Any:
    """The derivative `nu` of a piecewise polynomial."""
    coefficients = derived(coefficients, nu)

    def values(flat) -> Any:
        interval = np.clip(np.searchsorted(x, flat, side="right") - 1, 0, len(x) - 2)
        # not by x[interval]: the points may have lanes where x has none
        distance = along_first_axis(flat - np.take_along_axis(x, interval, axis=0), coefficients[0])
        y: Any = 0.0
        for c in coefficients:
            y = y * distance + np.take_along_axis(c, along_first_axis(interval, c), axis=0)
        return y

    return at_points(values, points, x[0], x[-1], extrapolate)


def derived(coefficients: list[Any], nu: int) -> list[Any]:
    """The coefficients of the derivative `nu` of a piecewise polynomial."""
    for _ in range(nu):
        powers = range(len(coefficients) - 1, 0, -1)
        lowered = [k * c for k, c in zip(powers, coefficients, strict=False)]
        coefficients = lowered or [0.0 * coefficients[0]]
    return coefficients


def integrated(coefficients: list[Any], x) -> list[Any]:
    """The coefficients of the integral of a piecewise polynomial from its first knot on."""
    powers = range(len(coefficients), 0, -1)
    raised = [c / k for k, c in zip(powers, coefficients, strict=True)]
    h = along_first_axis(np.diff(x), coefficients[0])
    pieces: Any = 0.0
    for c in raised:
        pieces = (pieces + c) * h
    before = np.cumsum(pieces, axis=0)[:-1]
    return [*raised, np.concatenate([np.zeros_like(pieces[:1]), before])]
