"""Samples of `scipy.signal`."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from chainrules_py.testing.samples.draw import Draw
from chainrules_py.testing.samples.table import Sample, Tag, samples_for
from scipy import signal

CONVOLUTIONS = (signal.convolve, signal.correlate)
ALONG_AXES = (signal.fftconvolve, signal.oaconvolve)
WITH_BOUNDARY = (signal.convolve2d, signal.correlate2d)
SHAPES = (((4,), (3,)), ((2,), (5,)), ((3, 4), (2, 2)))


@samples_for(*CONVOLUTIONS, *ALONG_AXES, dtypes=["float64"])
def convolution_samples(draw: Draw) -> Iterator[Sample]:
    """Every mode, lengths even and odd, the first longer and shorter."""
    for mode in ("full", "same", "valid"):
        for a, v in SHAPES:
            yield Sample(draw.any(*a), draw.any(*v), options={"mode": mode}, tags=[Tag.OPTIONS])


@samples_for(*CONVOLUTIONS, dtypes=["complex128"])
def method_samples(draw: Draw) -> Iterator[Sample]:
    """Complex arrays, by either method."""
    for method in ("direct", "fft"):
        yield Sample(draw.any(4), draw.any(2), options={"method": method, "mode": "same"}, tags=[Tag.OPTIONS])


@samples_for(*ALONG_AXES, dtypes=["complex128"])
def axes_samples(draw: Draw) -> Iterator[Sample]:
    """Along one axis, with the others broadcast."""
    for mode in ("full", "same", "valid"):
        yield Sample(draw.any(2, 4), draw.any(1, 3), options={"mode": mode, "axes": 1}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(3, 1), draw.any(2, 2), options={"axes": (0,)}, tags=[Tag.OPTIONS])


@samples_for(*WITH_BOUNDARY, dtypes=["float64", "complex128"])
def boundary_samples(draw: Draw) -> Iterator[Sample]:
    """Every boundary and mode."""
    for boundary in ("fill", "wrap", "symm"):
        for mode in ("full", "same"):
            yield Sample(draw.any(3, 4), draw.any(2, 3), options={"mode": mode, "boundary": boundary}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(2, 3), draw.any(3, 2), options={"fillvalue": 0.4}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(3, 3), draw.any(2, 3), options={"mode": "valid"}, tags=[Tag.OPTIONS])
    yield Sample(draw.any(1, 2), draw.any(2, 3), options={"mode": "valid"}, tags=[Tag.OPTIONS])
