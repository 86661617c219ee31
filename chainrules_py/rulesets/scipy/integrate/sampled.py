"""Integrals of samples: linear in the samples, by rules of trapezoids and parabolas."""

from typing import Any

import numpy as np
from scipy import integrate

from chainrules_py import Array, composed
from chainrules_py.annotations import Args, Options
from chainrules_py.makers import primitive
from chainrules_py.makers.by_source import by_source, own_source
from chainrules_py.makers.joint import array_of_parts
from chainrules_py.rulesets.formulas.runs import index_along
from chainrules_py.rulesets.sampled.differences import areas_of_trapezoids
from chainrules_py.rulesets.scipy.options import blank
from chainrules_py.table.registry import default_rules

default_rules.alias(integrate.trapezoid, np.trapezoid)


@composed(integrate.cumulative_trapezoid)
def cumulative_trapezoid(
    y: Array, x: Array | None = None, *, dx: Any = 1.0, axis: int = -1, initial: Any = None, xp
) -> Any:
    """The running sum of widths times means; SciPy broadcasts samples and points against each other."""
    integrate.cumulative_trapezoid(blank(y), blank(x), dx, axis, initial)
    axis %= y.ndim
    total = xp.cumsum(areas_of_trapezoids(y, x, dx, axis, xp), axis=axis)
    if initial is None:
        return total
    before = total[index_along(axis, slice(1))]
    return xp.concatenate([xp.zeros_like(before), total], axis=axis)


def quotient(a, b, xp) -> Any:
    """Zero where it would be divided by zero: points that are equal."""
    is_zero = b == 0
    return xp.where(is_zero, 0, a / xp.where(is_zero, 1, b))


@composed(integrate.simpson)
def simpson(y: Array, x: Array | None = None, *, dx: float = 1.0, axis: int = -1, xp) -> Any:
    """Parabolas through three points each; the last of an even number of points has one that is
    used for its interval alone.
    """
    like: Any = integrate.simpson(blank(y), blank(x), dx=dx, axis=axis)
    rows, n = xp.moveaxis(y, axis, -1), y.shape[axis]
    steps = xp.ones(n - 1)
    if x is not None:
        steps = xp.diff(x if x.ndim == 1 else xp.moveaxis(x, axis, -1), axis=-1).astype(float)
    scale = dx if x is None else 1.0

    last: Any = 0.0
    if n == 2:
        last = steps[..., 0] * (rows[..., 0] + rows[..., 1]) / 2
    elif n % 2 == 0:
        last = under_first(xp.flip(rows[..., -3:], -1), xp.flip(steps[..., -2:], -1), xp)[..., 0]

    count = (n - 1) // 2
    h0, h1 = [steps[..., k::2][..., :count] for k in range(2)]
    y0, y1, y2 = [rows[..., k::2][..., :count] for k in range(3)]
    both = h0 + h1
    parabolas = both * (
        y0 * (2.0 - quotient(h1, h0, xp))
        + y1 * (both * quotient(both, h0 * h1, xp))
        + y2 * (2.0 - quotient(h0, h1, xp))
    )
    return ((xp.sum(parabolas, axis=-1) / 6.0 + last) * scale).astype(like.dtype)


by_source(integrate.romb)


@primitive
def running_simpson(y, x=None, dx=1.0, initial=None, *, axis: int = -1) -> Any:
    """The result of `cumulative_simpson`, whose points are an argument here."""
    return integrate.cumulative_simpson(y, x=x, dx=dx, axis=axis, initial=initial)


@composed(running_simpson)
def running_simpson_body(y, x=None, dx=1.0, initial=None, *, axis: int = -1) -> Any:
    """Parabolas, by SciPy's own source."""
    return own_source(integrate.cumulative_simpson)(y, x=x, dx=dx, axis=axis, initial=initial)


def as_running_simpson(y, *, x=None, dx=1.0, axis=-1, initial=None) -> tuple[Args, Options]:
    """The arguments and options of `running_simpson` for a call of `cumulative_simpson`."""
    points = None if x is None else array_of_parts(x)
    return (y, points, dx, initial), {"axis": axis}


default_rules.alias(integrate.cumulative_simpson, running_simpson, as_running_simpson)


def under_first(rows, steps, xp) -> Any:
    """The integrals over the first intervals of parabolas through each three points."""
    h, other = steps[..., :-1], steps[..., 1:]
    share = quotient(h, h + other, xp)
    middle, last = quotient(h + 3 * other, other, xp), quotient(share * h, other, xp)
    y0, y1, y2 = rows[..., :-2], rows[..., 1:-1], rows[..., 2:]
    return h / 6 * ((3 - share) * y0 + middle * y1 - last * y2)
