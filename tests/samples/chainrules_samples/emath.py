"""Samples of numpy.emath: on the real line where the results are real, and where they are not."""

import numpy as np

from chainrules_py.testing.samples import REAL_AND_COMPLEX, Draw, Sample, Samples, samples_for


@samples_for(np.emath.sqrt, np.emath.log, np.emath.log2, np.emath.log10, dtypes=REAL_AND_COMPLEX)
def half_line_samples(draw: Draw) -> Samples:
    """Positive and, where they are real, negative numbers."""
    yield Sample(draw.positive(2, 3))
    if not draw.is_complex:
        yield Sample(-draw.positive(3), name="3,negative")


@samples_for(np.emath.arcsin, np.emath.arccos, np.emath.arctanh, dtypes=REAL_AND_COMPLEX)
def interval_samples(draw: Draw) -> Samples:
    """Inside the interval and on either side of it."""
    yield Sample(draw.between(-0.8, 0.8, 2, 3))
    if not draw.is_complex:
        yield Sample(np.array([2.0, -1.5, 0.3], draw.dtype), name="3,beyond")


@samples_for(np.emath.power, np.emath.logn, dtypes=REAL_AND_COMPLEX)
def two_argument_samples(draw: Draw, primal) -> Samples:
    """Positive and, where they are real, negative numbers."""
    first = draw.between(1.5, 3.0, 3)
    yield Sample(first, draw.between(0.5, 2.0, 2, 3))
    if not draw.is_complex:
        negative = (
            (-first, draw.positive(3)) if primal is np.emath.power else (first, -draw.positive(3))
        )
        yield Sample(*negative, name="3,negative")
