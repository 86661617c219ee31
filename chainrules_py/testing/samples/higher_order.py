"""Samples of functions that call a function: only an engine can differentiate that, so a plain call is refused."""

from collections.abc import Iterator
from functools import reduce

import numpy as np

from chainrules_py.errors import NoRuleError
from chainrules_py.testing.samples.draw import Draw
from chainrules_py.testing.samples.table import Sample, samples_for


@samples_for(np.apply_along_axis)
def apply_along_axis_samples(draw: Draw) -> Iterator[Sample]:
    """Without an engine."""
    yield Sample(np.cumsum, 0, draw.any(2, 3), error=NoRuleError)


@samples_for(np.apply_over_axes)
def apply_over_axes_samples(draw: Draw) -> Iterator[Sample]:
    """Without an engine."""
    yield Sample(np.sum, draw.any(2, 3), [0], error=NoRuleError)


@samples_for(np.piecewise)
def piecewise_samples(draw: Draw) -> Iterator[Sample]:
    """Without an engine."""
    x = draw.any(3)
    yield Sample(x, [x > 0], [np.sin, np.cos], error=NoRuleError)


@samples_for(map)
def map_samples(draw: Draw) -> Iterator[Sample]:
    """Without an engine."""
    yield Sample(np.multiply, draw.any(2, 3), [1.0, 2.0], error=NoRuleError)


@samples_for(reduce)
def reduce_samples(draw: Draw) -> Iterator[Sample]:
    """Without an engine, with and without an initial value."""
    yield Sample(np.multiply, draw.any(3), error=NoRuleError)
    yield Sample(np.multiply, [1.0, 2.0], draw.any(3), error=NoRuleError)


@samples_for(np.vectorize.__call__)
def vectorize_samples(draw: Draw) -> Iterator[Sample]:
    """Without an engine."""
    yield Sample(np.vectorize(np.multiply), draw.any(3), 2.0, error=NoRuleError)
