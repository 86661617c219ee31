"""Factors of series: the line, the product over roots, and the quotient with its remainder.

A quotient is the solution of linear equations: u = v q + r says that the last coefficients of v q
are those of u, and what is left of the others is r. So q and r move with u - v q, which is what
both of their derivatives are made of.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.makers import Linearised, LinearMap, linearised_rule
from chainrules_py.rulesets.formulas.array_likes import ArrayLike, chained, on_arrays
from chainrules_py.rulesets.formulas.matrices import adjoint, solve_by_adjoint
from chainrules_py.rulesets.polynomial.arithmetic import (
    applied,
    length_of,
    on_series,
    padded,
    products,
    trimmed,
)
from chainrules_py.rulesets.polynomial.families import Family, of_each_family
from chainrules_py.tangents import is_zero
from chainrules_py.values.arrays import shape_of


def on_trimmed(linearise: Callable[..., Linearised], args: tuple[Any, ...], xp: Any) -> Linearised:
    """The series without the zeros at their ends, which NumPy drops before it divides or looks for
    roots.
    """

    def on_vectors(*given: Any, xp: Any) -> Linearised:
        shorter, outer = zip(*[without_zeros(c, xp) for c in given], strict=True)
        y, *maps = linearise(*shorter, xp=xp)
        return y, *map(chained, maps, outer)

    return on_series(on_vectors, args, xp)


def without_zeros(c: Any, xp: Any) -> Linearised:
    """The coefficients up to the last that is not zero, or the first alone, and the map there."""
    count, kept = c.shape[0], max(length_of(c != 0, xp), 1)
    return c[:kept], LinearMap(lambda dot: dot[:kept], lambda bar: padded(bar, count, xp))


def coefficients_of_line(off: Any, scl: Any, family: Family, xp: Any) -> Any:
    """The coefficients of off + scl x, along the last axis, where x is (p_1 - b_0) / a_0."""
    a, b, _ = family.recurrence(0)
    return xp.stack([off - scl * (b / a), scl / a], axis=-1)


def line(off: Any, scl: Any, family: Family, xp: Any) -> Linearised:
    """off + scl x, with the maps of both; without a slope, one coefficient."""
    a, b, _ = family.recurrence(0)
    y = coefficients_of_line(off, scl, family, xp)
    of_off = LinearMap(lambda dot: xp.stack([dot, 0 * dot]), lambda bar: bar[0])
    of_scl = LinearMap(
        lambda dot: xp.stack([-dot * (b / a), dot / a]), lambda bar: bar[1] / a - bar[0] * (b / a)
    )
    if y.ndim == 1:
        return trimmed(y, (of_off, of_scl), xp)
    return xp.moveaxis(y, -1, 0), of_off, of_scl


# --- From roots ---


def product(c1: Any, c2: Any, family: Family, xp: Any) -> Any:
    """The product of two series."""
    return applied(products(c1, c2.shape[-1], family, xp), c2, xp)


def of_roots(roots: Any, family: Family, xp: Any) -> Linearised:
    """The product of x - r over the roots, which moves with a root by minus the product of the
    others.
    """
    count, one = roots.shape[-1], xp.ones((*roots.shape[:-1], 1), roots.dtype)
    factors = [coefficients_of_line(-roots[..., k], one[..., 0], family, xp) for k in range(count)]
    before, behind = [one], [one]
    for k in range(count):
        before.append(product(before[-1], factors[k], family, xp))
        behind.append(product(behind[-1], factors[count - 1 - k], family, xp))

    def without_each() -> Any:
        return xp.stack(
            [product(before[k], behind[count - 1 - k], family, xp) for k in range(count)], axis=1
        )

    linear = LinearMap(
        lambda dot: -padded(xp.matmul(without_each(), dot), count + 1, xp),
        lambda bar: -xp.matmul(adjoint(without_each(), xp), bar[:count]),
    )
    return own_value(family, "fromroots", roots, instead=before[-1]), linear


def own_value(family: Family, name: str, *args: Any, instead: Any) -> Any:
    """NumPy's own result for plain vectors.

    Of others, which its functions would make plain, what was computed instead; of many, too.
    """
    are_plain = all(type(arg) is np.ndarray and arg.ndim == 1 for arg in args)
    return family.function(name)(*args) if are_plain else instead


# --- Quotients ---


def divided(u: Any, v: Any, family: Family, xp: Any) -> Linearised:
    """The quotient and the remainder, with their maps.

    A dividend that is shorter than the divisor is the remainder.
    """
    if length_of(v != 0, xp) == 0:
        raise ZeroDivisionError("division of a series by zero")  # as in NumPy, which says nothing
    if u.shape[-1] < v.shape[-1]:
        return shorter_dividend(u, v, xp)
    rest, count = v.shape[-1] - 1, u.shape[-1] - v.shape[-1] + 1

    # u = V q + r, where r reaches into the lowest coefficients only: the top rows give q
    by_quotient = products(v, count, family, xp)
    low, top = by_quotient[..., :rest, :], by_quotient[..., rest:, :]
    quotient = xp.linalg.solve(top, xp.expand_dims(u[..., rest:], -1))[..., 0]
    remainder = 0 * u[..., :1]
    if rest:
        remainder = u[..., :rest] - applied(low, quotient, xp)
    kept = max(length_of(remainder != 0, xp), 1)
    q, r = own_value(family, "div", u, v, instead=(quotient, remainder[..., :kept]))
    length = r.shape[-1]

    def divide(w: Any) -> tuple[Any, Any]:
        q_dot = xp.linalg.solve(top, w[rest:])
        r_dot = padded(w[:rest] - xp.matmul(low, q_dot), max(rest, 1), xp)
        return q_dot, r_dot[:length]

    def divide_adjoint(y_bar: Any) -> Any:
        q_bar, r_bar = y_bar
        q_bar = xp.zeros_like(q) if is_zero(q_bar) else q_bar
        r_bar = xp.zeros_like(r) if is_zero(r_bar) else r_bar

        r_bar = padded(r_bar[:rest], rest, xp)
        top_bar = solve_by_adjoint(top, q_bar - xp.matmul(adjoint(low, xp), r_bar), xp)
        return xp.concatenate([r_bar, top_bar])

    by_divisor = products(q, v.shape[0], family, xp)
    of_divisor = LinearMap(
        lambda v_dot: divide(-xp.matmul(by_divisor, v_dot)),
        lambda y_bar: -xp.matmul(adjoint(by_divisor, xp), divide_adjoint(y_bar)),
    )
    return (q, r), LinearMap(divide, divide_adjoint), of_divisor


def shorter_dividend(u: Any, v: Any, xp: Any) -> Linearised:
    """Zero, and the dividend."""
    zero = 0 * u[..., :1]
    of_dividend = LinearMap(
        lambda dot: (0 * dot[:1], dot), lambda bar: xp.zeros_like(u) if is_zero(bar[1]) else bar[1]
    )
    of_divisor = LinearMap(
        lambda dot: (0 * dot[:1], xp.zeros_like(u)), lambda bar: xp.zeros_like(v)
    )
    return (zero, xp.copy(u)), of_dividend, of_divisor  # NumPy's remainder is no view


# --- The functions ---


@of_each_family
def factor_rules(family: Family) -> None:
    """Register the rules of one family's lines, products over roots and quotients."""

    @linearised_rule(family.function("line"))
    def line_linearised(off: ArrayLike, scl: ArrayLike, *, xp: Any) -> Linearised:
        return on_arrays(lambda off, scl, xp: line(off, scl, family, xp), (off, scl), xp)

    @linearised_rule(family.function("fromroots"))
    def fromroots_linearised(roots: ArrayLike, *, xp: Any) -> Linearised:
        if (isinstance(roots, list | tuple) and not roots) or shape_of(roots) == (0,):
            return np.ones(1), None
        return on_series(lambda roots, xp: of_roots(roots, family, xp), (roots,), xp)

    @linearised_rule(family.function("div"))
    def div_linearised(c1: ArrayLike, c2: ArrayLike, *, xp: Any) -> Linearised:
        return on_trimmed(lambda c1, c2, xp: divided(c1, c2, family, xp), (c1, c2), xp)
