"""Derivatives and integrals of series, `*der` and `*int`.

Linear in the coefficients, step by step along an axis.
"""

from collections.abc import Iterable
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.array_likes import (
    IDENTITY,
    ArrayLike,
    as_floats,
    chained,
    on_arrays,
)
from chainrules_py.rulesets.polynomial.arithmetic import length_of
from chainrules_py.rulesets.polynomial.families import (
    Family,
    derivatives,
    integrals,
    of_each_family,
    recurring,
)
from chainrules_py.values.arrays import Scalar


def derivative(length: int, family: Family, scale: Any, dtype: Any, xp: Any) -> LinearMap:
    """From so many coefficients to those of the derivative times `scale`."""
    matrix = derivatives(length, family, dtype, xp)
    return LinearMap(
        lambda c: scale * xp.tensordot(matrix, c, 1),
        lambda bar: scale.conjugate() * xp.tensordot(matrix, bar, ((0,), (0,))),
    )


def integral(length: int, family: Family, start: Any, scale: Any, dtype: Any, xp: Any) -> LinearMap:
    """From so many coefficients to those of the integral times `scale`.

    The first makes it vanish at `start`.
    """
    matrix = integrals(length, family, dtype, xp)
    at_start = recurring(1, lambda value: start * value, length + 1, family)[1:]

    def integral_pushforward(c: Any) -> Any:
        others = scale * xp.tensordot(matrix, c, 1)
        terms = [-value * others[k] for k, value in enumerate(at_start) if value]
        first = reduce(add, terms) if terms else 0 * others[0]
        return xp.concatenate([xp.expand_dims(first, 0), others])

    def integral_pullback(bar: Any) -> Any:
        others_bar = bar[1:] - xp.stack([value.conjugate() * bar[0] for value in at_start])
        return scale.conjugate() * xp.tensordot(matrix, others_bar, ((0,), (0,)))

    return LinearMap(integral_pushforward, integral_pullback)


def vanishing(count: int, xp: Any) -> LinearMap:
    """The derivative of a series of a lower degree: one coefficient is left, and it is zero."""
    return LinearMap(
        lambda c: 0 * c[:1], lambda bar: xp.broadcast_to(0 * bar, (count, *bar.shape[1:]))
    )


def one_by_one(steps: Iterable[LinearMap], axis: int, xp: Any) -> LinearMap:
    """The steps along an axis."""
    linear = reduce(lambda first, then: chained(then, first), steps, IDENTITY)
    return LinearMap(
        lambda c: xp.moveaxis(linear.push(xp.moveaxis(c, axis, 0)), 0, axis),
        lambda bar: xp.moveaxis(linear.pull(xp.moveaxis(bar, axis, 0)), 0, axis),
    )


def number(x: Any) -> Any:
    """A Python number, next to which arrays keep their dtype."""
    return np.asarray(x).item()


# --- The functions ---


def differentiated(
    family: Family, c: Any, order: Any, scale: Any, axis: int, xp: Any
) -> Linearised:
    """The coefficients of the derivative, with their map."""
    c = as_floats(c)
    # for NumPy's own errors
    family.function("der")(np.zeros((2,) * c.ndim, c.dtype), order, scale, axis)
    count, dtype, scale = c.shape[axis], c.dtype, number(scale)
    lengths = range(count, count - order, -1)
    steps = [vanishing(count, xp)]
    if order < count:
        steps = [derivative(n, family, scale, dtype, xp) for n in lengths]
    linear = one_by_one(steps if order else [], axis, xp)
    return linear.push(c), linear


def integrated(
    family: Family, c: Any, order: Any, k: Any, start: Any, scale: Any, axis: int, xp: Any
) -> Linearised:
    """The coefficients of the integral, with their map."""
    c, constants = as_floats(c), constants_of(k)
    zeros = np.zeros((2,) * c.ndim, c.dtype)
    plain = [k if isinstance(k, Scalar) else 0 for k in constants]
    family.function("int")(zeros, order, plain, start, scale, axis)  # for NumPy's own errors
    constants += [0] * (order - len(constants))
    y, steps = stepwise(
        family, xp.moveaxis(c, axis, 0), constants, number(start), number(scale), xp
    )
    return xp.moveaxis(y, 0, axis), one_by_one(steps, axis, xp)


def constants_of(k: Any) -> list[Any]:
    """The constants of the first integrations; an array has one for each of several series."""
    return [number(k) if isinstance(k, Scalar) else k for k in (k if np.iterable(k) else [k])]


def stepwise(
    family: Family, c: Any, constants: list[Any], start: Any, scale: Any, xp: Any
) -> tuple[Any, list[LinearMap]]:
    """The integrals along the first axis, each with its constant, and their maps.

    Of one coefficient that is zero NumPy keeps one, as its arithmetic does. Therefore a single one
    is looked at, for which a device is waited for, and which a compiler cannot do; of several
    nobody looks at any.
    """
    steps: list[LinearMap] = []
    is_zero = bool(constants) and c.shape[0] == 1 and not length_of(scale * c != 0, xp)
    for constant in constants:
        step = integral(c.shape[0], family, start, scale, c.dtype, xp)
        steps.append(in_first(step, xp) if is_zero else step)
        c = with_constant(scale * c if is_zero else step.push(c), constant, xp)
        is_zero = is_zero and not np.any(scale * constant)
    return c, steps


def in_first(linear: LinearMap, xp: Any) -> LinearMap:
    """The first of two coefficients alone."""
    return LinearMap(
        lambda c: linear.push(c)[:1],
        lambda bar: linear.pull(xp.concatenate([bar, xp.zeros_like(bar)])),
    )


def with_constant(c: Any, constant: Any, xp: Any) -> Any:
    """The series with a constant added, in the dtype of its coefficients."""
    if isinstance(constant, int | float | complex) and constant == 0:
        return c
    first = xp.expand_dims(xp.broadcast_to(c[0] + constant, c.shape[1:]), 0)
    return xp.concatenate([first if first.dtype == c.dtype else first.astype(c.dtype), c[1:]])


@of_each_family
def calculus_rules(family: Family) -> None:
    """Register the rules of one family's derivatives and integrals.

    Orders, constants, bounds and scales are options.
    """

    @linearised_rule(family.function("der"))
    def der_linearised(
        c: ArrayLike, *, m: int = 1, scl: Any = 1, axis: int = 0, xp: Any
    ) -> Linearised:
        return on_arrays(
            lambda c, xp: differentiated(family, c, m, scl, axis, xp), (c,), xp, vectors=(0,)
        )

    @linearised_rule(family.function("int"))
    def int_linearised(
        c: ArrayLike,
        *,
        m: int = 1,
        k: Any = (),
        lbnd: Any = 0,
        scl: Any = 1,
        axis: int = 0,
        xp: Any,
    ) -> Linearised:
        return on_arrays(
            lambda c, xp: integrated(family, c, m, k, lbnd, scl, axis, xp), (c,), xp, vectors=(0,)
        )
