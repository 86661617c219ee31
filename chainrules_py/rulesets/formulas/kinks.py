"""Lengths at zero, of which a smooth function may be made: exp(-|x|**2), (1 + |x|) exp(-|x|).

The square of a length y has a gradient everywhere, 2 h. So the cotangent of its argument is
(y_bar / y) h, which is 0 / 0 where y is zero. The limit of y_bar / y is the derivative of y_bar by y: an
engine that differentiates once more finds that, and asks here for its product with h.
"""

from collections.abc import Callable
from functools import reduce
from operator import and_
from typing import Any

import numpy as np

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import primitive, scalar_rule
from chainrules_py.makers.products import strong_product
from chainrules_py.projection import ProjectTo, unbroadcast
from chainrules_py.rulesets.formulas.reducing import restore_axes
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import NO_TANGENT, is_zero

HalfGradient = Callable[[Any], tuple[Any, ...]]


def scaled(x, quotient) -> Any:
    """Entries times a quotient; or those that a mask selects."""
    return np.where(quotient, x, 0.0) if quotient.dtype == bool else strong_product(x, quotient)


def of_root(x) -> HalfGradient:
    """The square of the root is x."""
    return lambda quotient: (scaled(x, quotient) if quotient.dtype == bool else 0.5 * quotient,)


def of_power(x, exponent) -> HalfGradient | None:
    """A root, if it is written as a power."""
    if type(exponent) not in (float, np.float64) or exponent != 0.5:
        return None
    return lambda quotient: (*of_root(x)(quotient), None)


def of_sides(*sides) -> HalfGradient:
    """The square of an absolute value, or of a hypotenuse."""
    return lambda quotient: tuple([scaled(x, quotient) for x in sides])


def of_norm(x, *, ord: Any = None, axis: Any = None, keepdims: bool = False) -> HalfGradient | None:
    """The square of a Euclidean norm."""
    of_vectors = x.ndim == 1 or (axis is not None and np.ndim(axis) == 0)
    if ord not in (None, "fro", "f") and not (ord == 2 and of_vectors):
        return None

    def half_gradient(quotient) -> tuple[Any]:
        spread = restore_axes(quotient, ProjectTo(x), axis, keepdims, np)
        return (scaled(x, np.broadcast_to(spread, x.shape)),)

    return half_gradient


# by the primal: of its arguments and options, what makes their cotangents from y_bar / y or a mask;
# None where it is no such length
half_gradients: dict[Any, Callable[..., HalfGradient | None]] = {
    np.sqrt: of_root,
    np.power: of_power,
    np.absolute: of_sides,
    np.hypot: of_sides,
    np.linalg.norm: of_norm,
}


def is_unknown(primal, slope, is_kink, is_shared) -> Any:
    """Where the limit `slope` of y_bar / y does not tell the derivative of a cotangent: y_bar depends on
    other lengths that are zero; or the argument of a root moves, and not as a square.
    """
    is_root = primal is np.sqrt or primal is np.power
    return is_shared | (slope != 0) | is_kink if is_root else is_shared


def is_curved(primal, x) -> bool:
    """Whether a length is curved beside its kink; the absolute value of a real number is straight."""
    return primal is not np.absolute or x.dtype.kind == "c"


@primitive
def undetermined(x) -> Any:
    """Zero, whose derivative along any direction but zero is nan.

    >>> undetermined(2.0)
    0.0
    """
    return 0 * x


@primitive
def undetermined_anyhow(x) -> Any:
    """Zero, whose derivative is nan, whatever the direction and the cotangent.

    >>> undetermined_anyhow(2.0)
    0.0
    """
    return 0 * x


@primitive
def at_rest(y, *parts) -> Any:
    """Zeros. Where y is zero, their derivative is zero if all parts are, and move by zero, too; else
    it is nan. An adjoint cannot tell how they move, and is nan.

    >>> at_rest(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    array([0., 0.])
    """
    return 0 * y


@default_rules.frule.register(at_rest)
def at_rest_frule(dots: tuple[Any, ...], y, *parts: object) -> tuple[Any, Any]:
    """What moves is a part, too, where it is zero."""
    moved: list[Any] = [dot for dot in dots[1:] if not is_zero(dot)]
    rests = reduce(and_, [np.equal(ignore_derivatives(part), 0) for part in (*parts, *moved)])
    unknown = np.where((y == 0) & ~rests, np.nan, 0.0).astype(y.dtype)
    return 0 * y, at_rest(y, *parts, *moved) + unknown * np.real(sum(moved))


@default_rules.rrule.register(at_rest)
def at_rest_rrule(y, *parts: object) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Nobody knows, where y is zero."""
    spaces = [ProjectTo(part) for part in parts]

    def pullback(y_bar) -> tuple[Any, ...]:
        unknown = np.where(y == 0, np.nan, 0.0) * y_bar
        return NO_TANGENT, *[unbroadcast(unknown, space.shape, np) for space in spaces]

    return 0 * y, pullback


def nan_like(x, xp) -> Any:
    """A derivative that nobody knows."""
    return xp.where(x == x, np.nan, 0.0)


scalar_rule(undetermined, "x", nan_like, singular=True)
scalar_rule(undetermined_anyhow, "x", nan_like)
