"""Samples of elementwise functions: shapes, broadcasting and scalars once, for every function alike; then each one's edges."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from chainrules_py.testing.samples.draw import Draw
from chainrules_py.testing.samples.table import REAL_AND_COMPLEX, Sample, Tag, samples_for

Drawn = Callable[..., Any]


def unary(draw: Callable[..., Any], **about: Any) -> Iterator[Sample]:
    """One argument: a matrix, a 0-d array, a NumPy scalar, an empty array."""
    yield Sample(draw(2, 3), **about)
    yield Sample(draw(), tags=[Tag.ZERO_D], **about)
    yield Sample(draw()[()], tags=[Tag.ZERO_D], name="scalar", **about)
    yield Sample(draw(0, 2), tags=[Tag.EMPTY], **about)


def binary(first: Drawn, second: Drawn, **about: Any) -> Iterator[Sample]:
    """Two arguments: equal shapes, broadcast both ways, scalars on either side, empty against one entry."""
    yield Sample(first(2, 3), second(2, 3), **about)
    for one, other in (((2, 3), (3,)), ((3, 1), (1, 2)), ((1,), (2, 1))):
        yield Sample(first(*one), second(*other), tags=[Tag.BROADCAST], **about)
    yield Sample(first(3), second()[()].item(), tags=[Tag.BROADCAST], **about)
    yield Sample(first()[()], second(2), tags=[Tag.BROADCAST], name="scalar,2", **about)
    yield Sample(first(), second(), tags=[Tag.ZERO_D], **about)
    yield Sample(first(0, 2), second(1, 2), tags=[Tag.EMPTY, Tag.BROADCAST], **about)


@samples_for(np.exp, np.sin, np.cos, np.tanh, np.negative, dtypes=REAL_AND_COMPLEX)
def entire_samples(draw: Draw) -> Iterator[Sample]:
    """Functions without singularities near where the samples are."""
    yield from unary(draw.any, analytic=not draw.is_complex)


@samples_for(np.absolute, dtypes=REAL_AND_COMPLEX)
def absolute_samples(draw: Draw) -> Iterator[Sample]:
    """Away from 0, and the kink there."""
    yield from unary(draw.any)
    yield Sample(np.zeros(2, draw.dtype), tags=[Tag.KINK])


@samples_for(np.log, np.sqrt, dtypes=REAL_AND_COMPLEX)
def half_line_samples(draw: Draw, primal: Any) -> Iterator[Sample]:
    """Functions of positive numbers, near the edge of the domain and on it."""
    yield from unary(draw.positive)
    yield Sample(np.array([1e-3, 0.5], draw.dtype), tags=[Tag.DOMAIN])
    if not draw.is_complex:  # where NumPy's own 1/0 is nan
        yield Sample(np.array([0.0, 0.5], draw.dtype), tags=[Tag.DOMAIN, Tag.KINK])


@samples_for(np.add, np.subtract, np.multiply, dtypes=REAL_AND_COMPLEX)
def bilinear_samples(draw: Draw) -> Iterator[Sample]:
    """Sums and products: anything goes, integers included."""
    yield from binary(draw.any, draw.any)
    yield Sample(draw.any(3), draw.integers(1, 4, 3), name="3,integers")
    yield Sample(True, draw.any(3), name="bool,3")


@samples_for(np.divide, dtypes=REAL_AND_COMPLEX)
def divide_samples(draw: Draw) -> Iterator[Sample]:
    """The denominator away from 0."""
    yield from binary(draw.any, draw.any)


@samples_for(np.power, dtypes=REAL_AND_COMPLEX)
def power_samples(draw: Draw) -> Iterator[Sample]:
    """Positive bases with any exponent; negative ones with integer exponents, which are constants then."""
    yield from binary(draw.positive, draw.any)
    yield Sample(-draw.positive(3), np.array([1.0, 2.0, -2.0], draw.dtype), fixed=[1], name="negative,integral")
    yield Sample(draw.any(3), 2, name="square")
    yield Sample(np.zeros(3, draw.dtype), np.array([1.0, 2.0, 3.0], draw.dtype), fixed=[1], name="zero,integral")


@samples_for(np.arctan2)
def arctan2_samples(draw: Draw) -> Iterator[Sample]:
    """All four quadrants."""
    yield from binary(draw.any, draw.any)


@samples_for(np.maximum)
def maximum_samples(draw: Draw) -> Iterator[Sample]:
    """Without ties, and with."""
    yield from binary(draw.positive, lambda *shape: -draw.positive(*shape))
    yield from binary(lambda *shape: -draw.positive(*shape), draw.positive)
    tied = draw.any(3)
    yield Sample(tied, tied.copy(), tags=[Tag.TIE])
    yield Sample(np.array([1.0, 2.0], draw.dtype), np.array([1.0, 3.0], draw.dtype), tags=[Tag.TIE], name="tie,smaller")


@samples_for(np.divmod)
def divmod_samples(draw: Draw) -> Iterator[Sample]:
    """Quotients that are not integers."""
    whole, rest = draw.integers(1, 4, 2, 3), draw.between(0.3, 0.7, 2, 3)
    divisor = draw.between(1.0, 2.0, 3)
    yield Sample(np.asarray((whole + rest) * divisor, draw.dtype), divisor, tags=[Tag.BROADCAST])
