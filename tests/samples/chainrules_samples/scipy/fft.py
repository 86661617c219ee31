"""Samples of `scipy.fft`: cropped and continued lengths, every type and norm, real and complex."""

import numpy as np
from scipy import fft

from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for

OF_COMPLEX = (fft.fft, fft.ifft, fft.irfft, fft.hfft)
OF_REAL = (fft.rfft, fft.ihfft)
ND_OF_COMPLEX = (
    fft.fft2,
    fft.ifft2,
    fft.fftn,
    fft.ifftn,
    fft.irfft2,
    fft.irfftn,
    fft.hfft2,
    fft.hfftn,
)
ND_OF_REAL = (fft.rfft2, fft.rfftn, fft.ihfft2, fft.ihfftn)
ONE_AXIS = (fft.dct, fft.idct, fft.dst, fft.idst)
SEVERAL_AXES = (fft.dctn, fft.idctn, fft.dstn, fft.idstn)


def along_one_axis(draw: Draw) -> Samples:
    """Cropped, continued, with another norm."""
    yield Sample(draw.any(2, 5))
    for n, norm in ((3, "ortho"), (6, "forward")):
        yield Sample(
            draw.any(4, 2),
            options={"n": n, "axis": 0, "norm": norm, "workers": 1},
        )


samples_for(*OF_COMPLEX, dtypes=DOUBLE)(along_one_axis)
samples_for(*OF_REAL, dtypes=["float64"])(along_one_axis)


def along_several_axes(draw: Draw) -> Samples:
    """Axes out of order, each cropped or continued by itself."""
    yield Sample(draw.any(2, 3))
    options = {"s": (4, 3), "axes": (2, 0), "norm": "forward", "workers": 1}
    yield Sample(draw.any(2, 2, 5), options=options)


samples_for(*ND_OF_COMPLEX, dtypes=DOUBLE)(along_several_axes)
samples_for(*ND_OF_REAL, dtypes=["float64"])(along_several_axes)


@samples_for(*ONE_AXIS, dtypes=["float64"])
def trigonometric_samples(draw: Draw) -> Samples:
    """Every type with every norm, orthogonal or not; cropped and continued."""
    for kind in (1, 2, 3, 4):
        for norm in ("backward", "forward"):
            yield Sample(draw.any(3), options={"type": kind, "norm": norm})
        yield Sample(draw.any(3), options={"type": kind, "orthogonalize": True})
        options = {"type": kind, "norm": "ortho", "orthogonalize": False}
        yield Sample(draw.any(3), options=options)
    yield Sample(draw.any(2, 4), options={"n": 3, "norm": "ortho", "workers": 1})
    yield Sample(draw.any(3, 2), options={"n": 5, "axis": 0})


@samples_for(*ONE_AXIS, dtypes=["complex128", "float32"])
def trigonometric_samples_of_other_dtypes(draw: Draw) -> Samples:
    """A complex and a short array."""
    yield Sample(draw.any(4))


@samples_for(*SEVERAL_AXES, dtypes=["float64"])
def trigonometric_samples_along_axes(draw: Draw) -> Samples:
    """All axes, and two of three."""
    yield Sample(draw.any(2, 3))
    options = {
        "type": 1,
        "s": (2, 4),
        "axes": (2, 0),
        "norm": "forward",
        "workers": 1,
        "orthogonalize": True,
    }
    yield Sample(draw.any(3, 2, 3), options=options)
    yield Sample(draw.any(3, 2), options={"type": 3, "axes": 0, "norm": "ortho"})


@samples_for(fft.fht, fft.ifht, dtypes=["float64"])
def hankel_samples(draw: Draw) -> Samples:
    """With and without powers of the points."""
    yield Sample(draw.any(2, 8), options={"dln": 0.3, "mu": 0.5})
    options = {"dln": 0.3, "mu": 1.5, "offset": 0.1, "bias": 0.2}
    yield Sample(draw.any(8), options=options)


@samples_for(fft.fftfreq, fft.rfftfreq, dtypes=["float64"])
def frequency_samples(draw: Draw) -> Samples:
    """The spacing of the samples."""
    yield Sample(5, 0.3)
    yield Sample(4)


@samples_for(fft.fftshift, fft.ifftshift, dtypes=["float64"])
def shift_samples(draw: Draw) -> Samples:
    """An odd length, along one axis and along all."""
    yield Sample(draw.any(3, 4))
    yield Sample(draw.any(3, 5), options={"axes": 1})


@samples_for(fft.next_fast_len, fft.prev_fast_len, dtypes=["float64"])
def length_samples(draw: Draw, primal) -> Samples:
    """A length."""
    yield Sample(np.int64(13).item())


@samples_for(fft.get_workers, dtypes=["float64"])
def worker_samples(draw: Draw) -> Samples:
    """A question without an argument."""
    yield Sample()
