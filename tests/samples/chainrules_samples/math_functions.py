"""Samples of Python's `math`, and of derivatives of the gamma function's logarithm."""

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.rulesets.formulas.gamma_functions import digamma, polygamma
from chainrules_py.rulesets.ufuncs.cmath_functions import FUNCTIONS
from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, Tag, samples_for
from chainrules_py.values.identity import existing

NUMBERS: dict[Callable[..., Any], tuple[float, ...]] = {
    **dict.fromkeys((math.erf, math.erfc), (-0.75, 0.0, 1.5)),
    # Near 0, at the root of the derivative, large, between the poles.
    **dict.fromkeys((math.gamma, math.lgamma, digamma), (0.25, 1.4616321449683622, 14.5, -1.25)),
}


@samples_for(*NUMBERS, dtypes=["float64"])
def number_samples(draw: Draw, primal: Callable[..., Any]) -> Samples:
    """Functions of one number."""
    for x in NUMBERS[primal]:
        yield Sample(x, name=str(x))


@samples_for(math.remainder, dtypes=["float64"])
def remainder_samples(draw: Draw) -> Samples:
    """Above and below the nearest multiple."""
    for x in (5.25, 3.75):
        yield Sample(x, 3.0, name=str(x))


@samples_for(*FUNCTIONS, dtypes=DOUBLE)
def complex_samples(draw: Draw, primal: Callable[..., Any]) -> Samples:
    """On the real axis and off it, inside of the unit disc."""
    for z in (0.4 - 0.3j, -0.2 + 0.5j):
        yield Sample(z if draw.dtype.kind == "c" else z.real, name=str(z))


@samples_for(cmath.log, cmath.phase, cmath.polar, dtypes=["complex128"])
def number_of_the_plane_samples(draw: Draw, primal: Callable[..., Any]) -> Samples:
    """One number of each half; logarithms with a base, too."""
    for z in (0.4 - 0.3j, -0.2 + 0.5j):
        yield Sample(z, name=str(z))
    if primal is cmath.log:
        yield Sample(0.4 - 0.3j, 1.5 + 0.5j, name="with a base")


@samples_for(cmath.rect, dtypes=["float64"])
def rect_samples(draw: Draw) -> Samples:
    """A distance and an angle."""
    yield Sample(2.0, -0.75)


@samples_for(math.log, dtypes=["float64"])
def log_samples(draw: Draw) -> Samples:
    """The natural logarithm, and one to a base."""
    yield Sample(2.5)
    yield Sample(2.5, 3.5, name="with a base")


@samples_for(math.hypot, dtypes=["float64"])
def hypot_samples(draw: Draw) -> Samples:
    """One to four coordinates, of which one is negative."""
    for count in range(1, 5):
        yield Sample(*(1.5, -2.5, 0.5, 0.75)[:count], name=f"{count} coordinates")


@samples_for(*existing(math, "fma"), dtypes=["float64"])
def fma_samples(draw: Draw) -> Samples:
    """A product and a sum."""
    yield Sample(1.5, -2.5, 0.75)


@samples_for(polygamma, dtypes=["float64"])
def polygamma_samples(draw: Draw) -> Samples:
    """Some orders."""
    for n in (0, 1, 2):
        yield Sample(n, 2.5, name=f"order {n}")
        yield Sample(n, -1.25, name=f"order {n}, negative")


@samples_for(math.fsum, math.prod, dtypes=["float64"])
def sequence_samples(draw: Draw) -> Samples:
    """A list, a tuple, an array; nothing."""
    yield Sample([0.5, 1.5, 2.5], name="list")
    yield Sample((0.5, 2), name="tuple")
    yield Sample(draw.any(4))
    yield Sample(draw.any(0))


@samples_for(math.prod, dtypes=DOUBLE)
def prod_samples(draw: Draw) -> Samples:
    """From a start; with a zero; of the rows of a matrix."""
    yield Sample(draw.any(3), options={"start": 2.5})
    yield Sample(np.array([0.0, 1.5, 2.5], draw.dtype), name="zero")
    yield Sample(draw.any(3, 2))


@samples_for(math.dist, dtypes=["float64"])
def dist_samples(draw: Draw) -> Samples:
    """Arrays, a list and a tuple, the same point."""
    yield Sample(draw.any(3), draw.any(3))
    yield Sample([0.5, 1.5], (2.5, 1.0), name="list,tuple")
    yield Sample(np.ones(2), np.ones(2), tags=[Tag.KINK])
