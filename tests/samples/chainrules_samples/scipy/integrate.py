"""Samples of `scipy.integrate`: integrals of samples, by spacings and by points."""

import numpy as np
from scipy import integrate

from chainrules_py.rulesets.scipy.integrate.sampled import running_simpson
from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for


@samples_for(integrate.cumulative_trapezoid, dtypes=DOUBLE)
def cumulative_trapezoid_samples(draw: Draw) -> Samples:
    """Of one step, and at points along the axis and for each sample."""
    yield Sample(draw.any(2, 4))
    yield Sample(draw.any(4, 2), options={"dx": 0.3, "axis": 0, "initial": 0})
    yield Sample(draw.any(4, 2), np.sort(draw.real(4)), options={"axis": 0})
    yield Sample(draw.any(2, 3), np.sort(draw.real(1, 3)))


@samples_for(integrate.simpson, dtypes=["float64"])
def simpson_samples(draw: Draw) -> Samples:
    """Even and odd numbers of samples."""
    yield Sample(draw.any(2, 4))
    for n in (4, 5):
        yield Sample(draw.any(n, 2), np.cumsum(draw.positive(n)), options={"axis": 0})
    yield Sample(draw.any(2, 3), np.cumsum(draw.positive(2, 3), axis=1))
    yield Sample(draw.any(3), options={"dx": 0.3})
    yield Sample(draw.any(2), np.cumsum(draw.positive(2)))


@samples_for(integrate.romb, dtypes=["float64"])
def romb_samples(draw: Draw) -> Samples:
    """Five samples."""
    yield Sample(draw.any(2, 5))
    yield Sample(draw.any(5, 2), options={"dx": 0.3, "axis": 0})


@samples_for(integrate.fixed_quad, dtypes=["float64"])
def fixed_quad_samples(draw: Draw) -> Samples:
    """Between limits that move, of an integrand with a number, too."""
    yield Sample(np.sin, *draw.real(2).tolist())
    number = tuple(draw.real(1).tolist())
    yield Sample(np.multiply, *draw.real(2).tolist(), number, options={"n": 3})


@samples_for(running_simpson, dtypes=["float64"])
def running_simpson_samples(draw: Draw) -> Samples:
    """Of one step, of a step for each row, and at points of all rows and of each."""
    yield Sample(draw.any(2, 5))
    yield Sample(draw.any(4), None, 0.7)
    yield Sample(draw.any(2, 4), None, draw.positive(2, 1), draw.real(2, 1))
    yield Sample(draw.any(4), np.array([0, 0.4, 1.5, 1.9]))
    yield Sample(draw.any(5, 2), np.cumsum(draw.positive(5)), options={"axis": 0})
    yield Sample(draw.any(2, 5), np.cumsum(draw.positive(2, 5), axis=1), 1.0, 0.2)
    yield Sample(draw.any(2), np.cumsum(draw.positive(2)))
