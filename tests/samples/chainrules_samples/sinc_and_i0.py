"""Samples of sinc and of the Bessel functions that i0 leads to."""

import numpy as np

from chainrules_py.rulesets.ufuncs.sinc_and_i0 import bessel_over_power
from chainrules_py.testing.samples import REAL_AND_COMPLEX, Draw, Sample, Samples, samples_for
from chainrules_samples.elementwise import unary


@samples_for(np.sinc, dtypes=REAL_AND_COMPLEX)
def sinc_samples(draw: Draw) -> Samples:
    """On both sides of where the series takes over, and at 0, where the function is smooth."""
    yield from unary(draw.any)
    yield Sample(np.array([0.0, 1e-4, 0.31, 0.33], draw.dtype), name="near0")


@samples_for(np.i0)
def bessel_samples(draw: Draw) -> Samples:
    """Small, zero, and where the asymptotic series is used."""
    yield from unary(draw.any)
    yield Sample(np.array([0.0, 1e-3, -3.0], draw.dtype), name="near0")
    yield Sample(np.array([19.5, 20.5, -25.0], draw.dtype), name="large")


@samples_for(bessel_over_power)
def bessel_samples_by_order(draw: Draw) -> Samples:
    """Of several orders."""
    yield Sample(0, draw.any(2, 3))
    yield Sample(1, np.array([0.0, 1e-3, -3.0], draw.dtype), name="near0")
    yield Sample(3, np.array([19.5, 20.5, -25.0], draw.dtype), name="large")
