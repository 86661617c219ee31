"""Samples of numpy.gradient."""

import numpy as np

from chainrules_py.testing.samples import (
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    samples_for,
)


@samples_for(np.gradient, dtypes=REAL_AND_COMPLEX)
def gradient_samples(draw: Draw) -> Samples:
    """All axes and some, both orders at the edges, equal and unequal spacing."""
    points = np.array([0.0, 0.4, 1.0, 1.3, 2.1], draw.real().dtype)
    yield Sample(draw.any(5))
    yield Sample(draw.any(3, 4))
    yield Sample(draw.any(3, 4), options={"axis": -1, "edge_order": 2})
    yield Sample(draw.any(5), 0.5)
    yield Sample(draw.any(3, 4), 0.5, 0.25)
    yield Sample(draw.any(5, 2), points, options={"axis": 0, "edge_order": 2}, name="5x2,points")
    yield Sample(draw.any(3, 5), points[2:], points, name="3x5,points,points")
    yield Sample(draw.any(1), error=ValueError)
