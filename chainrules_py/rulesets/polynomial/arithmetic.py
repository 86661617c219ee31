"""Arithmetic of series, and their conversions, from one recurrence.

p_n(X) v, with X the matrix that multiplies a series by x.

With the series v itself, these are the products of p_n with it, of which the product of two series
is a sum. With v = 1 and the X of another family they are what p_n is in that family. NumPy drops
the coefficients at the end that are zero: how many the result has depends on their values, so that
a compiler cannot know, and a device is asked once. Among many examples the longest decides.
"""

import inspect
from typing import Any

import numpy as np
from numpy.polynomial import polyutils

from chainrules_py import composed
from chainrules_py.errors import NotDifferentiableError
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, as_floats, at_least_vectors
from chainrules_py.rulesets.formulas.known_values import length_of
from chainrules_py.rulesets.polynomial.families import (
    FAMILIES,
    Family,
    of_each_family,
    recurring,
    times_x,
)


def padded_coefficients(c, length: int, xp) -> Any:
    """Coefficients with zeros behind them."""
    missing = length - c.shape[-1]
    if not missing:
        return c
    return xp.concatenate([c, xp.zeros((*c.shape[:-1], missing), c.dtype)], axis=-1)


def trimmed(y, xp) -> Any:
    """The result without the coefficients at its end that are zero, the first apart."""
    return y[..., : max(length_of(y != 0, xp), 1)]


def vectors(*series, xp) -> list[Any]:
    """Series as vectors of floats of one dtype, which is what NumPy makes of them."""
    given = at_least_vectors(series, xp)
    if any(c.ndim != 1 or c.shape[0] == 0 for c in given):
        where = "the rules of series in numpy.polynomial"
        got = f"coefficients of shapes {[c.shape for c in given]}"
        instead = "call it for one series at a time, of one axis"
        raise NotDifferentiableError(where, got, instead, argument="c", value=series)
    found = [as_floats(c) for c in given]
    dtype = np.result_type(*[c.dtype for c in found])
    return [c if c.dtype == dtype else c.astype(dtype) for c in found]


def applied(matrix, v, xp) -> Any:
    """A matrix times coefficients, or the matrices of many examples times theirs."""
    if matrix.ndim == 2 and v.ndim == 1:
        return xp.matmul(matrix, v)
    return xp.matmul(matrix, xp.expand_dims(v, -1))[..., 0]


def products(v, count: int, family: Family, xp) -> Any:
    """The matrix that takes a series of so many coefficients to its product with `v`."""
    whole = padded_coefficients(v, v.shape[-1] + count - 1, xp)
    return xp.stack(recurring(whole, lambda w: times_x(w, family, xp), count, family), axis=-1)


def product_of_series(c1, c2, family: Family, xp) -> Any:
    """The product of two series."""
    return applied(products(c1, c2.shape[-1], family, xp), c2, xp)


def in_other_family(c, family: Family, other: Family, xp) -> Any:
    """A polynomial as a series of another family: linear in the coefficients."""
    count = c.shape[-1]
    one = xp.asarray(xp.arange(count) == 0, dtype=c.dtype)
    columns = recurring(one, lambda v: times_x(v, other, xp), count, family)
    return trimmed(applied(xp.stack(columns, axis=1), c, xp), xp)


@of_each_family
def arithmetic_bodies(family: Family) -> None:
    """Give bodies to one family's arithmetic."""

    def added(c1, c2, xp) -> Any:
        c1, c2 = vectors(c1, c2, xp=xp)
        length = max(c1.shape[0], c2.shape[0])
        return trimmed(
            padded_coefficients(c1, length, xp) + padded_coefficients(c2, length, xp), xp
        )

    @composed(family.function("add"))
    def add(c1: ArrayLike, c2: ArrayLike, *, xp):
        return added(c1, c2, xp)

    @composed(family.function("sub"))
    def sub(c1: ArrayLike, c2: ArrayLike, *, xp):
        return added(c1, -1.0 * c2, xp)

    @composed(family.function("mul"))
    def mul(c1: ArrayLike, c2: ArrayLike, *, xp):
        c1, c2 = vectors(c1, c2, xp=xp)
        return trimmed(product_of_series(c1, c2, family, xp), xp)

    @composed(family.function("mulx"))
    def mulx(c: ArrayLike, *, xp):
        (c,) = vectors(c, xp=xp)
        a, b, _ = family.recurrence(0)  # x is (p_1 - b_0) / a_0
        x = xp.concatenate([xp.full(1, -b / a, c.dtype), xp.full(1, 1 / a, c.dtype)])
        return trimmed(product_of_series(x, c, family, xp), xp)

    power_of = family.function("pow")
    # not the same in all families
    largest = inspect.signature(power_of).parameters["maxpower"].default

    @composed(power_of)
    def power(c: ArrayLike, *, pow: int, maxpower: int | None = largest, xp):
        power_of([1.0], pow, maxpower)  # for NumPy's own errors
        (c,) = vectors(c, xp=xp)
        y = xp.ones_like(c[:1])
        for _ in range(int(pow)):
            y = product_of_series(c, y, family, xp)
        return trimmed(y, xp)


def conversions(family: Family, powers: Family) -> None:
    """Give bodies to the conversions between one family and powers."""

    @composed(getattr(family.module, f"{family.prefix}2poly"))
    def to_powers(c: ArrayLike, *, xp):
        return in_other_family(vectors(c, xp=xp)[0], family, powers, xp)

    @composed(getattr(family.module, f"poly2{family.prefix}"))
    def of_powers(pol: ArrayLike, *, xp):
        # NumPy starts from the integer 0, next to which single precision becomes double.
        return in_other_family(vectors(pol + xp.zeros(1), xp=xp)[0], powers, family, xp)


@composed(polyutils.trimcoef)
def trimcoef(c: ArrayLike, *, tol: Any = 0, xp) -> Any:
    """The series without the small coefficients at its end; where all are small, zero.

    Among many series, those that would be shorter than the longest have zeros there.
    """
    polyutils.trimcoef([1.0], tol)  # for NumPy's own errors
    (c,) = vectors(c, xp=xp)
    counts = xp.abs(c) > tol
    places = xp.arange(1, c.shape[-1] + 1)
    is_kept = places <= xp.max(xp.where(counts, places, 0))
    return xp.where(is_kept, c, 0 * c)[: max(length_of(counts, xp), 1)]


for _family in FAMILIES[1:]:
    conversions(_family, FAMILIES[0])
