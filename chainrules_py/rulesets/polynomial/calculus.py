"""Derivatives and integrals of series, `*der` and `*int`: step by step along an axis."""

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from chainrules_py import composed
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, as_floats, at_least_vectors
from chainrules_py.rulesets.formulas.known_values import length_of
from chainrules_py.rulesets.polynomial.families import (
    Family,
    derivatives,
    integrals,
    of_each_family,
    recurring,
)
from chainrules_py.values.arrays import Scalar


def integral(c, family: Family, start, scale, xp) -> Any:
    """The coefficients of the integral times `scale`, of which the first makes it vanish at
    `start`.
    """
    count = c.shape[0]
    at_start = recurring(1, lambda value: start * value, count + 1, family)[1:]
    others = scale * xp.tensordot(integrals(count, family, c.dtype, xp), c, 1)
    terms = [-value * others[k] for k, value in enumerate(at_start) if value]
    first = reduce(add, terms) if terms else 0 * others[0]
    return xp.concatenate([xp.expand_dims(first, 0), others])


def number(x) -> Any:
    """A Python number, next to which arrays keep their dtype."""
    return np.asarray(x).item()


def constants_of(k) -> list[Any]:
    """The constants of the first integrations; an array has one for each of several series."""
    return [number(k) if isinstance(k, Scalar) else k for k in (k if np.iterable(k) else [k])]


def with_constant(c, constant, xp) -> Any:
    """The series with a constant added, in the dtype of its coefficients."""
    if isinstance(constant, int | float | complex) and constant == 0:
        return c
    first = xp.expand_dims(xp.broadcast_to(c[0] + constant, c.shape[1:]), 0)
    return xp.concatenate([first if first.dtype == c.dtype else first.astype(c.dtype), c[1:]])


@of_each_family
def calculus_bodies(family: Family) -> None:
    """Give bodies to one family's derivatives and integrals.

    Orders, constants, bounds and scales are options.
    """

    @composed(family.function("der"))
    def der(c: ArrayLike, *, m: int = 1, scl: Any = 1, axis: int = 0, xp):
        c = as_floats(*at_least_vectors((c,), xp))
        # for NumPy's own errors
        family.function("der")(np.zeros((2,) * c.ndim, c.dtype), m, scl, axis)
        count, scale = c.shape[axis], number(scl)
        y = xp.moveaxis(c, axis, 0)
        if 0 < count <= m:  # of a lower degree: one coefficient is left, and it is zero
            return xp.moveaxis(0 * y[:1], 0, axis)
        for n in range(count, count - m, -1):
            y = scale * xp.tensordot(derivatives(n, family, c.dtype, xp), y, 1)
        return xp.moveaxis(y, 0, axis)

    @composed(family.function("int"))
    def integrated(
        c: ArrayLike,
        *,
        m: int = 1,
        k: Any = (),
        lbnd: Any = 0,
        scl: Any = 1,
        axis: int = 0,
        xp,
    ):
        c, constants = as_floats(*at_least_vectors((c,), xp)), constants_of(k)
        zeros = np.zeros((2,) * c.ndim, c.dtype)
        plain = [k if isinstance(k, Scalar) else 0 for k in constants]
        family.function("int")(zeros, m, plain, lbnd, scl, axis)  # for NumPy's own errors
        constants += [0] * (m - len(constants))

        y, scale = xp.moveaxis(c, axis, 0), number(scl)
        # Of one coefficient that is zero NumPy keeps one, as its arithmetic does. Therefore a single
        # one is looked at, for which a device is waited for, and which a compiler cannot do.
        is_zero = bool(constants) and y.shape[0] == 1 and not length_of(scale * y != 0, xp)
        for constant in constants:
            step = scale * y if is_zero else integral(y, family, number(lbnd), scale, xp)
            y = with_constant(step, constant, xp)
            is_zero = is_zero and not np.any(scale * constant)
        return xp.moveaxis(y, 0, axis)
