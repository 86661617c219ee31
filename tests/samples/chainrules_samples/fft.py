"""Samples of numpy.fft: lengths even and odd, cropped and continued, axes and norms."""

import numpy as np

from chainrules_py.testing.samples import (
    REAL,
    REAL_AND_COMPLEX,
    Draw,
    Sample,
    Samples,
    samples_for,
)

OF_COMPLEX = (np.fft.fft, np.fft.ifft, np.fft.irfft, np.fft.hfft)
OF_REAL = (np.fft.rfft, np.fft.ihfft)
ND_OF_COMPLEX = (np.fft.fft2, np.fft.ifft2, np.fft.fftn, np.fft.ifftn, np.fft.irfft2, np.fft.irfftn)
ND_OF_REAL = (np.fft.rfft2, np.fft.rfftn)


def along_one_axis(draw: Draw) -> Samples:
    """Cropped and continued to even and odd lengths; every norm."""
    yield Sample(draw.any(2, 4))
    for n in (1, 2, 7, 8):
        yield Sample(draw.any(4, 2), options={"n": n, "axis": 0})
    for norm in ("backward", "ortho", "forward"):
        yield Sample(draw.any(5), options={"norm": norm})
    yield Sample(draw.any(0, 4))


samples_for(*OF_COMPLEX, dtypes=REAL_AND_COMPLEX)(along_one_axis)
samples_for(*OF_REAL, dtypes=REAL)(along_one_axis)


def along_several_axes(draw: Draw, primal) -> Samples:
    """Axes in any order, each cropped or continued by itself."""
    yield Sample(draw.any(2, 3, 4))
    yield Sample(draw.any(2, 5), options={"norm": "ortho"})
    yield Sample(draw.any(2, 3, 4), options={"s": (4, 5), "axes": (2, 0)})
    yield Sample(
        draw.any(2, 3),
        options={"s": (2, 2), "axes": (-1, 0), "norm": "forward"},
    )
    yield Sample(draw.any(3, 4), options={"s": (-1, 6), "axes": (0, 1)})
    if primal in (np.fft.fftn, np.fft.ifftn):
        yield Sample(draw.any(2, 3), options={"axes": (0, 1, 0)})


samples_for(*ND_OF_COMPLEX, dtypes=REAL_AND_COMPLEX)(along_several_axes)
samples_for(*ND_OF_REAL, dtypes=REAL)(along_several_axes)


@samples_for(np.fft.fftshift, np.fft.ifftshift, dtypes=REAL_AND_COMPLEX)
def shift_samples(draw: Draw) -> Samples:
    """Odd lengths, where the two are not the same."""
    yield Sample(draw.any(3, 4))
    for axes in (0, (0, 1), -1):
        yield Sample(draw.any(3, 5), options={"axes": axes})
    yield Sample(draw.any(0, 3))


@samples_for(np.fft.fftfreq, np.fft.rfftfreq)
def frequency_samples(draw: Draw) -> Samples:
    """The spacing of the samples is a number like any other."""
    for n in (5, 6):
        yield Sample(n, 0.3, name=f"{n},spacing")
    yield Sample(4)
