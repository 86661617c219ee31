"""Samples of splitting functions."""

from typing import Any

import numpy as np

from chainrules_py.testing.samples.table import DOUBLE, Draw, Sample, Samples, Tag, samples_for


@samples_for(np.split, np.array_split, dtypes=DOUBLE)
def split_samples(draw: Draw, primal: Any) -> Samples:
    """Into equal parts, at indices, beyond the end, with gaps and overlaps."""
    for sections in (2, [1, 3], (3, 1), [-1], [0, 9]):
        yield Sample(draw.any(4, 2), options={"indices_or_sections": sections})
    yield Sample(draw.any(2, 4), options={"indices_or_sections": 2, "axis": -1}, tags=[Tag.OPTIONS])
    if primal is np.array_split:
        yield Sample(draw.any(5), options={"indices_or_sections": 3})
    else:
        yield Sample(draw.any(5), options={"indices_or_sections": 3}, error=ValueError)


@samples_for(np.hsplit, np.vsplit, np.dsplit, dtypes=DOUBLE)
def directed_split_samples(draw: Draw, primal: Any) -> Samples:
    """Along the axis of the name."""
    yield Sample(draw.any(2, 2, 4), options={"indices_or_sections": 2})
    yield Sample(draw.any(2, 2, 4), options={"indices_or_sections": [1]})
    if primal is np.hsplit:
        yield Sample(draw.any(4), options={"indices_or_sections": 2})


@samples_for(np.unstack, dtypes=DOUBLE)
def unstack_samples(draw: Draw) -> Samples:
    """Along any axis; vectors into numbers."""
    yield Sample(draw.any(2, 3))
    yield Sample(draw.any(2, 3), options={"axis": -1}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(3))
