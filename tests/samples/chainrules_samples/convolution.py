"""Samples of convolution and correlation."""

import numpy as np

from chainrules_py.testing.samples import (
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    samples_for,
)


@samples_for(np.convolve, np.correlate, dtypes=REAL_AND_COMPLEX)
def convolution_samples(draw: Draw) -> Samples:
    """Every mode, the longer sequence first and second, odd and even lengths."""
    for mode in ("full", "same", "valid"):
        for n, m in ((5, 3), (3, 6), (2, 2)):
            yield Sample(draw.any(n), draw.any(m), options={"mode": mode})
    yield Sample(draw.any(4), draw.any(2))
