"""Samples of sliding windows."""

import numpy as np

from chainrules_py.testing.samples import (
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    samples_for,
)


@samples_for(np.lib.stride_tricks.sliding_window_view, dtypes=REAL_AND_COMPLEX)
def sliding_window_view_samples(draw: Draw) -> Samples:
    """Along one axis of one and of two, along the same one twice."""
    yield Sample(draw.any(5), options={"window_shape": 3, "writeable": True, "subok": True})
    yield Sample(draw.any(3, 4), options={"window_shape": 2, "axis": 1})
    yield Sample(draw.any(5), options={"window_shape": (2, 3), "axis": (0, 0)})
