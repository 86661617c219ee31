"""Taylor coefficients of arithmetic and roots, each from those before it.

A series is a list of coefficients of t**k, without factorials. Coefficients that are `ZERO` are
left out of products, and so are those that a list does not have: a constant is a list of one. What
is not in `RECURRENCES` follows from its derivative (`chainrules_tape.series.level`).

The recurrences are those of A. Griewank and A. Walther, Evaluating Derivatives, 2nd edition (2008),
table 13.1. Each is the equation that defines the function, read at t**k and solved for y[k].
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.tangents import ZERO
from chainrules_py.values.arrays import library_of_types

Series = Sequence[Any]
Times = Callable[[Any, Any], Any]


class Recurrence(NamedTuple):
    """How a coefficient follows from those before it.

    `coefficient` is called as ``coefficient(k, y, *operands, times=...)``, where `times` multiplies
    two coefficients. `holds` is asked about the values of the operands, and which of them vary: where
    it says no, coefficients follow from the derivative.

    With a `companion`, another series is computed beside y, as the cosine is beside the sine: it is
    a list behind the operands, empty at first, in which each call sets coefficient k - 1.
    """

    coefficient: Function
    holds: Callable[[Sequence[Any], Sequence[bool]], bool]
    companion: bool = False


# Coefficients


def coefficient_at(x: Series, k: int) -> Any:
    """Return coefficient k of a series."""
    return x[k] if k < len(x) else ZERO


def convolution(k: int, a: Series, b: Series, times: Times, *, last: int) -> Any:
    """Sum ``a[i] * b[k - i]`` over i up to `last`.

    >>> convolution(1, [1.0, 2.0], [3.0, 4.0], times=np.multiply, last=1)
    np.float64(10.0)
    """
    total: Any = ZERO
    for i in range(max(0, k + 1 - len(b)), min(last, len(a) - 1) + 1):
        if a[i] is not ZERO and b[k - i] is not ZERO:
            total = plus(total, times(a[i], b[k - i]))
    return total


def plus(a, b) -> Any:
    """Add two coefficients."""
    if a is ZERO:
        return b
    return a if b is ZERO else a + b


def minus(a, b) -> Any:
    """Subtract one coefficient from another."""
    if b is ZERO:
        return a
    return -b if a is ZERO else a - b


def over(a, divisor) -> Any:
    """Divide a coefficient by a value without zeros."""
    return ZERO if a is ZERO else a / divisor


def strong_times(a, b):
    """Multiply two coefficients with ``0 * inf = 0``.

    >>> strong_times(np.array([0.0, 2.0]), np.array([np.inf, 3.0]))
    array([0., 6.])
    """
    xp = library_of_types((type(a), type(b))).namespace
    return xp.where(b == 0, 0, a) * xp.where(a == 0, 0, b)


# Recurrences


def sum_coefficient(k: int, y: Series, a: Series, b: Series, *, times: Times):
    """y = a + b."""
    return plus(coefficient_at(a, k), coefficient_at(b, k))


def difference_coefficient(k: int, y: Series, a: Series, b: Series, *, times: Times):
    """y = a - b."""
    return minus(coefficient_at(a, k), coefficient_at(b, k))


def negative_coefficient(k: int, y: Series, x: Series, *, times: Times):
    """y = -x."""
    return minus(ZERO, coefficient_at(x, k))


def product_coefficient(k: int, y: Series, a: Series, b: Series, *, times: Times):
    """y = a * b."""
    if a is b:
        return square_coefficient(k, y, a, times=times)
    return convolution(k, a, b, times, last=k)


def square_coefficient(k: int, y: Series, x: Series, *, times: Times) -> Any:
    """y = x * x, in which products of two different coefficients come twice."""
    total = convolution(k, x, x, times, last=(k - 1) // 2)
    total = plus(total, total)
    middle = coefficient_at(x, k // 2)
    return total if k % 2 or middle is ZERO else plus(total, times(middle, middle))


def quotient_coefficient(k: int, y: Series, a: Series, b: Series, *, times: Times):
    """y * b = a."""
    return over(minus(coefficient_at(a, k), convolution(k, y, b, times, last=k - 1)), b[0])


def reciprocal_coefficient(k: int, y: Series, x: Series, *, times: Times):
    """y * x = 1."""
    return over(minus(ZERO, convolution(k, y, x, times, last=k - 1)), x[0])


def root_coefficient(k: int, y: Series, x: Series, *, times: Times):
    """y * y = x."""
    others = square_coefficient(k, (ZERO, *y[1:]), (ZERO, *y[1:]), times=times)
    return over(minus(coefficient_at(x, k), others), 2 * y[0])


def exponential_coefficient(k: int, y: Series, x: Series, *, times: Times):
    """y' = x' * y."""
    return chain_coefficient(k, y, x, times)


def chain_coefficient(k: int, slope: Series, x: Series, times: Times) -> Any:
    """y' = x' * slope."""
    total: Any = ZERO
    for i in range(1, min(k, len(x) - 1) + 1):
        if x[i] is not ZERO and slope[k - i] is not ZERO:
            term = times(x[i], slope[k - i])
            total = plus(total, term if i == k else i / k * term)
    return total


def paired_coefficient(begin: np.ufunc, *, turns: bool = False, turned: bool = False) -> Any:
    """Make the coefficient of a function that has another one beside it: y' = x' * other, where
    other' = x' * y. For one of the two, the derivative has the other sign.
    """

    def coefficient(k: int, y: Series, x: Series, other: list[Any], *, times: Times):
        if k == 1:
            other[:] = [begin(x[0])]
        else:
            before = chain_coefficient(k - 1, y, x, times)
            other[k - 1 :] = [minus(ZERO, before) if turns else before]
        found = chain_coefficient(k, other, x, times)
        return minus(ZERO, found) if turned else found

    return coefficient


def hyperbolic_tangent_coefficient(k: int, y: Series, x: Series, slope: list[Any], *, times: Times):
    """y' = x' * slope, where slope = 1 - y * y."""
    if k == 1:
        slope[:] = [1 - y[0] * y[0]]
    else:
        slope[k - 1 :] = [minus(ZERO, square_coefficient(k - 1, slope, y, times=times))]
    return chain_coefficient(k, slope, x, times)


def logarithm_coefficient(k: int, y: Series, x: Series, *, times: Times):
    """x * y' = x'."""
    total: Any = ZERO
    for i in range(max(1, k + 1 - len(x)), k):
        if y[i] is not ZERO and x[k - i] is not ZERO:
            total = plus(total, i / k * times(y[i], x[k - i]))
    return over(minus(coefficient_at(x, k), total), x[0])


def power_coefficient(k: int, y: Series, x: Series, power: Series, *, times: Times):
    """x * y' = p * y * x', for a constant p; y = x * x where p is 2."""
    (p,) = power
    if is_two(p):
        return square_coefficient(k, y, x, times=times)
    total: Any = ZERO
    for i in range(max(0, k + 1 - len(x)), k):
        if y[i] is not ZERO and x[k - i] is not ZERO:
            total = plus(total, (p * (k - i) - i) / k * times(y[i], x[k - i]))
    return over(total, x[0])


# Where they hold: the solution divides by a value


def always(values: Sequence[Any], varies: Sequence[bool]) -> bool:
    """Say that a recurrence divides by nothing."""
    return True


def last_is_not_zero(values: Sequence[Any], varies: Sequence[bool]) -> bool:
    """Whether the last operand is not zero anywhere."""
    return is_nowhere_zero(values[-1])


def is_power_of_base(values: Sequence[Any], varies: Sequence[bool]) -> bool:
    """Whether the exponent is constant, no natural number but 2, and the base not zero anywhere.

    Natural powers have derivatives where the base is zero, and all their digits where it nearly is.
    """
    base, power = values
    if varies[1]:
        return False
    if is_two(power):
        return True
    whole = np.floor(np.real(power))
    is_natural = (whole >= 0) & (power == whole)
    return not np.any(is_natural) and is_nowhere_zero(base)


def is_two(power) -> bool:
    """Whether an exponent is the number 2."""
    return isinstance(power, int | float) and power == 2


def is_nowhere_zero(x) -> bool:
    """Whether a number, or each entry of an array, is not zero."""
    return bool(np.all(x != 0))


RECURRENCES: dict[Any, Recurrence] = {
    np.add: Recurrence(sum_coefficient, always),
    np.subtract: Recurrence(difference_coefficient, always),
    np.negative: Recurrence(negative_coefficient, always),
    np.multiply: Recurrence(product_coefficient, always),
    np.square: Recurrence(square_coefficient, always),
    np.exp: Recurrence(exponential_coefficient, always),
    np.sin: Recurrence(paired_coefficient(np.cos, turns=True), always, companion=True),
    np.cos: Recurrence(paired_coefficient(np.sin, turned=True), always, companion=True),
    np.sinh: Recurrence(paired_coefficient(np.cosh), always, companion=True),
    np.cosh: Recurrence(paired_coefficient(np.sinh), always, companion=True),
    np.tanh: Recurrence(hyperbolic_tangent_coefficient, always, companion=True),
    np.divide: Recurrence(quotient_coefficient, last_is_not_zero),
    np.reciprocal: Recurrence(reciprocal_coefficient, last_is_not_zero),
    np.sqrt: Recurrence(root_coefficient, last_is_not_zero),
    np.log: Recurrence(logarithm_coefficient, last_is_not_zero),
    np.power: Recurrence(power_coefficient, is_power_of_base),
}
