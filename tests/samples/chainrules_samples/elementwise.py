"""Samples of elementwise functions: shapes and broadcasting for all, then the edges of each."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.makers.products import guarded_product
from chainrules_py.testing.samples import (
    DOUBLE,
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    Tag,
    samples_for,
)

Drawn = Callable[..., Any]


def unary(draw: Callable[..., Any], **about) -> Samples:
    """One argument: a matrix, a 0-d array, a NumPy scalar, an empty array."""
    yield Sample(draw(2, 3), **about)
    yield Sample(draw(), **about)
    yield Sample(draw()[()], name="scalar", **about)
    yield Sample(draw(0, 2), **about)


def binary(first: Drawn, second: Drawn, **about) -> Samples:
    """Draw two arguments: of equal shapes, broadcast both ways, scalars, empty arrays."""
    yield Sample(first(2, 3), second(2, 3), **about)
    for one, other in (((2, 3), (3,)), ((3, 1), (1, 2)), ((1,), (2, 1))):
        yield Sample(first(*one), second(*other), **about)
    yield Sample(first(3), second()[()].item(), **about)
    yield Sample(first()[()], second(2), name="scalar,2", **about)
    yield Sample(first(), second(), **about)
    yield Sample(first(0, 2), second(1, 2), **about)


ENTIRE = (
    np.exp,
    np.exp2,
    np.expm1,
    np.sin,
    np.cos,
    np.sinh,
    np.cosh,
    np.tanh,
    np.negative,
    np.positive,
    np.square,
)


@samples_for(*ENTIRE, dtypes=REAL_AND_COMPLEX)
def entire_samples(draw: Draw) -> Samples:
    """Functions without singularities near where the samples are."""
    yield from unary(draw.any)


@samples_for(np.deg2rad, np.rad2deg, np.degrees, np.radians, np.cbrt)
def real_only_samples(draw: Draw) -> Samples:
    """Functions that NumPy has for real numbers alone."""
    yield from unary(draw.any)


@samples_for(np.cbrt)
def cbrt_samples(draw: Draw) -> Samples:
    """The vertical tangent at 0."""
    yield Sample(np.array([0.0, -8.0], draw.dtype), tags=[Tag.DOMAIN])


@samples_for(np.tan, np.arctan, np.arcsinh, np.reciprocal, dtypes=REAL_AND_COMPLEX)
def regular_samples(draw: Draw) -> Samples:
    """Functions whose poles and cuts are elsewhere."""
    yield from unary(draw.positive)


@samples_for(np.arcsin, np.arccos, np.arctanh, dtypes=REAL_AND_COMPLEX)
def unit_interval_samples(draw: Draw, primal) -> Samples:
    """Inside the interval, at its end, and for complex arguments on both sides of it."""
    yield from unary(lambda *shape: draw.between(-0.8, 0.8, *shape))
    if draw.is_complex:
        yield Sample(np.array([2 + 1j, -2 + 1j, 2 - 1j, -2 - 1j], draw.dtype), name="beyond")
    elif primal is not np.arctanh:
        yield Sample(np.array([1.0, 0.5], draw.dtype), tags=[Tag.DOMAIN])


@samples_for(np.arccosh, dtypes=REAL_AND_COMPLEX)
def arccosh_samples(draw: Draw) -> Samples:
    """Beyond 1; complex arguments in every quadrant.

    In some, only one of the two forms of the derivative is right.
    """
    yield from unary(lambda *shape: draw.between(1.2, 3.0, *shape))
    if draw.is_complex:
        yield Sample(np.array([2 + 1j, -2 + 1j, 2 - 1j, -2 - 1j], draw.dtype), name="quadrants")


@samples_for(np.log1p, dtypes=REAL_AND_COMPLEX)
def log1p_samples(draw: Draw) -> Samples:
    """Beyond -1."""
    yield from unary(lambda *shape: draw.between(-0.5, 2.0, *shape))


@samples_for(np.fabs)
@samples_for(np.absolute, dtypes=REAL_AND_COMPLEX)
def absolute_samples(draw: Draw) -> Samples:
    """Away from 0, and the kink there."""
    yield from unary(draw.any)
    yield Sample(np.zeros(2, draw.dtype), tags=[Tag.KINK])


@samples_for(np.floor, np.ceil, np.trunc, np.rint, np.spacing)
def step_samples(draw: Draw) -> Samples:
    """Steps, between the jumps."""
    yield from unary(lambda *shape: draw.between(1.1, 1.4, *shape))


@samples_for(np.log, np.log2, np.log10, np.sqrt, dtypes=REAL_AND_COMPLEX)
def half_line_samples(draw: Draw, primal) -> Samples:
    """Functions of positive numbers, on the edge of the domain, too."""
    yield from unary(draw.positive)
    if not draw.is_complex:  # where NumPy's own 1/0 is nan
        yield Sample(np.array([0.0, 0.5], draw.dtype), tags=[Tag.DOMAIN, Tag.KINK])


@samples_for(np.arctan2, np.hypot, np.logaddexp, np.logaddexp2, np.copysign, np.heaviside)
@samples_for(np.maximum, np.fmax, np.minimum, np.fmin)
@samples_for(np.add, np.subtract, np.multiply, np.divide, dtypes=REAL_AND_COMPLEX)
def pair_samples(draw: Draw) -> Samples:
    """Numbers of either sign, away from 0."""
    yield from binary(draw.any, draw.any)


@samples_for(guarded_product, dtypes=DOUBLE)
def product_samples(draw: Draw) -> Samples:
    """Arrays that are broadcast, and a number."""
    yield Sample(draw.any(2, 3), draw.any(3))
    yield Sample(draw.any(3), draw.any()[()])


@samples_for(np.add, np.subtract, np.multiply, dtypes=REAL_AND_COMPLEX)
def integer_samples(draw: Draw) -> Samples:
    """Integers and booleans beside other numbers."""
    yield Sample(draw.any(3), draw.integers(1, 4, 3), name="3,integers")
    yield Sample(True, draw.any(3), name="bool,3")


@samples_for(np.power, np.float_power, dtypes=REAL_AND_COMPLEX)
def power_samples(draw: Draw) -> Samples:
    """Positive bases with any exponent; negative ones with constant integers."""
    yield from binary(draw.positive, draw.any)
    yield Sample(
        -draw.positive(3),
        np.array([1.0, 2.0, -2.0], draw.dtype),
        fixed=[1],
        name="negative,integral",
    )
    yield Sample(draw.any(3), 2, name="square")
    yield Sample(draw.any(3), 0, name="zeroth")
    yield Sample(
        np.zeros(3, draw.dtype),
        np.array([1.0, 2.0, 3.0], draw.dtype),
        fixed=[1],
        name="zero,integral",
    )


@samples_for(np.logaddexp, np.logaddexp2)
def logaddexp_samples(draw: Draw) -> Samples:
    """Minus infinity on one side."""
    yield Sample(draw.any(2), np.full(2, -np.inf, draw.dtype), fixed=[1], name="2,-inf")


@samples_for(np.maximum, np.fmax, np.minimum, np.fmin)
def extremum_samples(draw: Draw) -> Samples:
    """A tie beside a smaller number."""
    yield Sample(
        np.array([1.0, 2.0], draw.dtype),
        np.array([1.0, 3.0], draw.dtype),
        tags=[Tag.TIE],
    )


@samples_for(np.fmax, np.fmin)
def number_beside_nan_samples(draw: Draw) -> Samples:
    """The number where the other is nan."""
    yield Sample(draw.any(2), np.full(2, np.nan, draw.dtype), fixed=[1], name="2,nan")
    yield Sample(np.full(2, np.nan, draw.dtype), draw.any(2), fixed=[0], name="nan,2")


@samples_for(np.hypot)
def origin_samples(draw: Draw) -> Samples:
    """The kink at the origin."""
    yield Sample(np.zeros(2, draw.dtype), np.zeros(2, draw.dtype), tags=[Tag.KINK])


@samples_for(np.copysign)
def sign_samples(draw: Draw) -> Samples:
    """The kink."""
    yield Sample(np.zeros(2, draw.dtype), np.array([1.0, -1.0], draw.dtype), tags=[Tag.KINK])


@samples_for(np.heaviside)
def heaviside_samples(draw: Draw) -> Samples:
    """At the jump the value is the second argument."""
    yield Sample(np.zeros(2, draw.dtype), draw.any(2), fixed=[0], name="jump")


@samples_for(np.nextafter)
def nextafter_samples(draw: Draw) -> Samples:
    """Samples of nextafter, whose value is its first argument up to the last bit."""
    yield Sample(draw.positive(2, 3), np.full(3, 9.0, draw.dtype))


@samples_for(np.divmod, np.remainder, np.fmod)
def quotient_samples(draw: Draw) -> Samples:
    """Quotients that are not integers, by numbers of either sign."""
    whole, rest = draw.integers(1, 4, 2, 3), draw.between(0.3, 0.7, 2, 3)
    divisor = draw.between(1.0, 2.0, 3)
    yield Sample(np.asarray((whole + rest) * divisor, draw.dtype), divisor)
    yield Sample(
        np.asarray((whole + rest) * divisor, draw.dtype),
        -divisor,
        name="by-negative",
    )


@samples_for(np.modf, np.frexp)
def parts_samples(draw: Draw) -> Samples:
    """Between the jumps of both."""
    yield Sample(draw.between(1.2, 1.4, 2, 3))
    yield Sample(-draw.between(1.2, 1.4))


@samples_for(np.ldexp)
def ldexp_samples(draw: Draw) -> Samples:
    """Exponents of either sign, broadcast."""
    yield Sample(draw.any(2, 3), draw.integers(-3, 4, 3))
    yield Sample(draw.any(), 2)
