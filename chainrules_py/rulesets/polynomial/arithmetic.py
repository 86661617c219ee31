"""Arithmetic of series, and their conversions, from one recurrence.

p_n(X) v, with X the matrix that multiplies a series by x.

With the series v itself, these are the products of p_n with it, and the product of two series is
linear in each, with the products of the other as its matrix. With v = 1 and the X of another family
they are what p_n is in that family. NumPy drops the coefficients at the end that are zero: how many
the result has depends on their values, so that a compiler cannot know, and a device is asked once.

Coefficients lie along the last axis, so that the values of many series at once are computed here,
too: their lanes come first, and the result has as many coefficients as the longest of them.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import polyutils

from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, as_floats, on_arrays
from chainrules_py.rulesets.formulas.known_values import greatest_known
from chainrules_py.rulesets.polynomial.families import (
    FAMILIES,
    Family,
    of_each_family,
    recurring,
    times_x,
)


def padded(c: Any, length: int, xp: Any) -> Any:
    """Coefficients with zeros behind them."""
    missing = length - c.shape[-1]
    if not missing:
        return c
    zeros = xp.zeros((*c.shape[:-1], missing), c.dtype)
    return xp.concatenate([c, zeros], axis=-1)


def length_of(counts: Any, xp: Any) -> int:
    """How many coefficients there are up to the last that counts.

    That is one number, for which a device is waited for; of many series it is that of the longest.
    """
    numbers = xp.where(counts, xp.arange(1, counts.shape[-1] + 1), 0)
    return greatest_known(numbers)


def trimmed(y: Any, maps: tuple[LinearMap, ...], xp: Any) -> Linearised:
    """The result without the coefficients at its end that are zero, the first apart.

    So are all tangents and cotangents.
    """
    return shortened(y, maps, max(length_of(y != 0, xp), 1), xp)


def shortened(y: Any, maps: tuple[LinearMap, ...], kept: int, xp: Any) -> Linearised:
    """The first coefficients of a result, and of its tangents and cotangents."""
    count = y.shape[-1]

    def in_kept(linear: LinearMap) -> LinearMap:
        return LinearMap(
            lambda dot: linear.push(dot)[:kept], lambda y_bar: linear.pull(padded(y_bar, count, xp))
        )

    return (y[..., :kept], *map(in_kept, maps)) if kept < count else (y, *maps)


def constant(c: Any, xp: Any) -> LinearMap:
    """The derivative of one coefficient that does not depend on the series."""
    shape, dtype = c.shape, c.dtype
    return LinearMap(
        lambda dot: xp.zeros_like(dot[:1]),
        lambda y_bar: xp.zeros_like(y_bar, dtype=dtype, shape=shape),
    )


def times_matrix(matrix: Any, xp: Any) -> LinearMap:
    """Coefficients times a matrix, from the left."""
    return LinearMap(
        lambda dot: applied(matrix, dot, xp), lambda y_bar: xp.matmul(xp.conj(matrix.T), y_bar)
    )


def applied(matrix: Any, v: Any, xp: Any) -> Any:
    """A matrix times coefficients, or the matrices of many examples times theirs."""
    if matrix.ndim == 2 and v.ndim == 1:
        return xp.matmul(matrix, v)
    return xp.matmul(matrix, xp.expand_dims(v, -1))[..., 0]


def products(v: Any, count: int, family: Family, xp: Any) -> Any:
    """The matrix that takes a series of so many coefficients to its product with `v`."""
    whole = padded(v, v.shape[-1] + count - 1, xp)
    return xp.stack(recurring(whole, lambda w: times_x(w, family, xp), count, family), axis=-1)


# --- One series ---


def converted(c: Any, family: Family, other: Family, xp: Any) -> Linearised:
    """A polynomial as a series of another family: linear in the coefficients."""
    count = c.shape[-1]
    one = xp.asarray(xp.arange(count) == 0, dtype=c.dtype)
    columns = recurring(one, lambda v: times_x(v, other, xp), count, family)
    linear = times_matrix(xp.stack(columns, axis=1), xp)
    return trimmed(linear.push(c), (linear,), xp)


def multiplied_by_x(c: Any, family: Family, xp: Any) -> Linearised:
    """The product with x, which is (p_1 - b_0) / a_0."""
    a, b, _ = family.recurrence(0)
    x = xp.concatenate([xp.full(1, -b / a, c.dtype), xp.full(1, 1 / a, c.dtype)])
    linear = times_matrix(products(x, c.shape[-1], family, xp), xp)
    return trimmed(linear.push(c), (linear,), xp)


def power(c: Any, family: Family, exponent: Any, xp: Any) -> Linearised:
    """c**n moves by n c**(n - 1) c_dot."""
    before = xp.ones_like(c[..., :1])
    if exponent == 0:
        return before, constant(c, xp)
    for _ in range(int(exponent) - 1):
        before = applied(products(c, before.shape[-1], family, xp), before, xp)
    matrix = products(before, c.shape[-1], family, xp)
    return trimmed(applied(matrix, c, xp), (times_matrix(exponent * matrix, xp),), xp)


def cut(c: Any, tolerance: Any, xp: Any) -> Linearised:
    """The series without the small coefficients at its end; where all are small, zero.

    Of many series, those that would be shorter than the longest have zeros there.
    """
    counts = xp.abs(c) > tolerance
    places = xp.arange(1, c.shape[-1] + 1)
    is_kept = places <= xp.max(xp.where(counts, places, 0), axis=-1, keepdims=True)

    def own_part(dot: Any) -> Any:
        return xp.where(is_kept, dot, 0 * dot)

    linear = LinearMap(own_part, own_part)
    return shortened(own_part(c), (linear,), max(length_of(counts, xp), 1), xp)


# --- Two series ---


def multiplied(c1: Any, c2: Any, family: Family, xp: Any) -> Linearised:
    """The product, with the other factor's products as the matrix of each."""
    one, other = (
        times_matrix(products(b, a.shape[-1], family, xp), xp) for a, b in ((c1, c2), (c2, c1))
    )
    return trimmed(one.push(c1), (one, other), xp)


def added(c1: Any, c2: Any, sign: int, xp: Any) -> Linearised:
    """The sum, or the difference."""
    length = max(c1.shape[-1], c2.shape[-1])

    def addend(c: Any, sign: int) -> LinearMap:
        count = c.shape[-1]
        return LinearMap(
            lambda dot: sign * padded(dot, length, xp), lambda y_bar: sign * y_bar[:count]
        )

    one, other = addend(c1, 1), addend(c2, sign)
    return trimmed(one.push(c1) + other.push(c2), (one, other), xp)


# --- The functions ---


def on_series(linearise: Callable[..., Linearised], args: tuple[Any, ...], xp: Any) -> Linearised:
    """The series as vectors of floats of one dtype, which is what NumPy makes of them."""

    def on_vectors(*given: Any, xp: Any) -> Linearised:
        if any(c.ndim != 1 or c.shape[0] == 0 for c in given):
            where = "the rules of series in numpy.polynomial"
            got = f"coefficients of shapes {[c.shape for c in given]}"
            raise NotDifferentiableError(
                where,
                got,
                "call it for one series at a time, of one axis",
                argument="c",
                value=given,
            )
        vectors = [as_floats(c) for c in given]
        dtype = np.result_type(*[c.dtype for c in vectors])
        return linearise(*[c if c.dtype == dtype else c.astype(dtype) for c in vectors], xp=xp)

    return on_arrays(on_vectors, args, xp, vectors=range(len(args)))


@of_each_family
def arithmetic_rules(family: Family) -> None:
    """Register the rules of one family's arithmetic."""

    @linearised_rule(family.function("add"))
    def add_linearised(c1: ArrayLike, c2: ArrayLike, *, xp: Any) -> Linearised:
        return on_series(lambda c1, c2, xp: added(c1, c2, 1, xp), (c1, c2), xp)

    @linearised_rule(family.function("sub"))
    def sub_linearised(c1: ArrayLike, c2: ArrayLike, *, xp: Any) -> Linearised:
        return on_series(lambda c1, c2, xp: added(c1, c2, -1, xp), (c1, c2), xp)

    @linearised_rule(family.function("mul"))
    def mul_linearised(c1: ArrayLike, c2: ArrayLike, *, xp: Any) -> Linearised:
        return on_series(lambda c1, c2, xp: multiplied(c1, c2, family, xp), (c1, c2), xp)

    @linearised_rule(family.function("mulx"))
    def mulx_linearised(c: ArrayLike, *, xp: Any) -> Linearised:
        return on_series(lambda c, xp: multiplied_by_x(c, family, xp), (c,), xp)

    power_of = family.function("pow")
    # not the same in all families
    largest = inspect.signature(power_of).parameters["maxpower"].default

    @linearised_rule(power_of)
    def pow_linearised(
        c: ArrayLike, *, pow: int, maxpower: int | None = largest, xp: Any
    ) -> Linearised:
        power_of([1.0], pow, maxpower)  # for NumPy's own errors
        return on_series(lambda c, xp: power(c, family, pow, xp), (c,), xp)


def conversion_rules(family: Family, powers: Family) -> None:
    """Register the rules of the conversions between one family and powers."""

    @linearised_rule(getattr(family.module, f"{family.prefix}2poly"))
    def to_powers_linearised(c: ArrayLike, *, xp: Any) -> Linearised:
        return on_series(lambda c, xp: converted(c, family, powers, xp), (c,), xp)

    @linearised_rule(getattr(family.module, f"poly2{family.prefix}"))
    def of_powers_linearised(pol: ArrayLike, *, xp: Any) -> Linearised:
        # NumPy starts from the integer 0, next to which single precision becomes double.
        return on_series(lambda c, xp: converted(c + xp.zeros(1), powers, family, xp), (pol,), xp)


@linearised_rule(polyutils.trimcoef)
def trimcoef_linearised(c: ArrayLike, *, tol: Any = 0, xp: Any) -> Linearised:
    polyutils.trimcoef([1.0], tol)  # for NumPy's own errors
    return on_series(lambda c, xp: cut(c, tol, xp), (c,), xp)


for _family in FAMILIES[1:]:
    conversion_rules(_family, FAMILIES[0])
