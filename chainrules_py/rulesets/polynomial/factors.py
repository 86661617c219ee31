"""Factors of series: the line, the product over roots, and the quotient with its remainder."""

from typing import Any

import numpy as np

from chainrules_py import composed, ignore_derivatives
from chainrules_py.errors import BatchingError
from chainrules_py.rulesets.formulas.array_likes import ArrayLike
from chainrules_py.rulesets.formulas.known_values import any_known, length_of
from chainrules_py.rulesets.polynomial.arithmetic import (
    applied,
    product_of_series,
    products,
    trimmed,
    vectors,
)
from chainrules_py.rulesets.polynomial.families import Family, of_each_family


def of_one_degree(c, xp) -> Any:
    """A series without the zeros at its end, which NumPy drops before it divides or looks for
    roots; they have to be as many in all examples.
    """
    kept = max(length_of(c != 0, xp), 1)
    if kept > 1 and any_known(c[..., kept - 1] == 0):
        raise BatchingError(
            "the functions of numpy.polynomial",
            "series of which some end in zeros, and so are shorter than others",
            "divide, or find roots, of series of one degree",
        )
    return c[..., :kept]


def line_of(off, scl, family: Family, xp) -> Any:
    """The coefficients of off + scl x, along the last axis, where x is (p_1 - b_0) / a_0."""
    a, b, _ = family.recurrence(0)
    return xp.stack([off - scl * (b / a), scl / a], axis=-1)


@of_each_family
def factor_bodies(family: Family) -> None:
    """Give bodies to one family's lines, products over roots and quotients."""

    @composed(family.function("line"))
    def line(off: ArrayLike, scl: ArrayLike, *, xp):
        """Without a slope, one coefficient."""
        y = line_of(off, scl, family, xp)
        return trimmed(y, xp) if y.ndim == 1 else xp.moveaxis(y, -1, 0)

    @composed(family.function("fromroots"))
    def fromroots(roots: ArrayLike, *, xp):
        if np.shape(roots) == (0,):
            return np.ones(1)
        (roots,) = vectors(roots, xp=xp)
        roots = roots.astype(np.result_type(roots.dtype, np.float64))  # as NumPy's
        one = xp.ones_like(roots[:1])
        y = one
        for k in range(roots.shape[0]):
            y = product_of_series(y, line_of(-roots[k], one[0], family, xp), family, xp)
        return y

    @composed(family.function("div"))
    def div(c1: ArrayLike, c2: ArrayLike, *, xp):
        """A dividend that is shorter than the divisor is the remainder.

        How many coefficients a remainder has may depend on the last bit: NumPy's function is asked.
        Terms cancel: it computes in double precision.
        """
        u, v = [of_one_degree(c, xp) for c in vectors(c1, c2, xp=xp)]
        plain = ignore_derivatives((u, v))
        is_numpys, dtype = all(type(x) is np.ndarray for x in plain), u.dtype
        if is_numpys and dtype.itemsize < np.result_type(dtype, np.float64).itemsize:
            u, v = [c.astype(np.result_type(dtype, np.float64)) for c in (u, v)]
        if length_of(v != 0, xp) == 0:
            raise ZeroDivisionError("division of a series by zero")  # NumPy's says nothing
        rest, count = v.shape[0] - 1, u.shape[0] - v.shape[0] + 1
        if count < 1:
            return 0 * u[:1].astype(dtype), u.astype(dtype)  # NumPy's remainder is no view

        # u = V q + r, where r reaches into the lowest coefficients only: the top rows give q
        by_quotient = products(v, count, family, xp)
        quotient = xp.linalg.solve(by_quotient[rest:], u[rest:])
        if not rest:
            return quotient.astype(dtype), 0 * u[:1].astype(dtype)
        remainder = u[:rest] - applied(by_quotient[:rest], quotient, xp)
        if is_numpys:
            found = family.function("div")(*plain)[1]  # of some families in double precision
            return quotient.astype(dtype), remainder[: len(found)].astype(found.dtype)
        return quotient, trimmed(remainder, xp)
