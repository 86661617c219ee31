"""Transforms of many examples at once: axes are counted from the end."""

from functools import partial

import numpy as np
from scipy import fft

from chainrules_py.batching.along_axes import Mixes, from_the_end
from chainrules_py.rulesets.scipy.lanes_first import (
    Given,
    along_the_last,
    axes_from_the_end,
    lanes_first,
)


def axes_of_lengths(options: Given, rank: int) -> Given:
    """The option `axes`, of which lengths alone name the last ones."""
    axes, s = options.get("axes"), options.get("s")
    if axes is None and s is not None:
        axes = tuple(range(-np.size(s), 0))
    return {**options, "axes": from_the_end(axes, rank)}


lanes_first(
    *(fft.fft, fft.ifft, fft.rfft, fft.irfft),
    *(fft.dct, fft.idct, fft.dst, fft.idst),
)
lanes_first(
    *(fft.fftn, fft.ifftn, fft.rfftn, fft.irfftn),
    *(fft.dctn, fft.idctn, fft.dstn, fft.idstn),
    change=axes_of_lengths,
    axes=Mixes(("axes",)),
)
lanes_first(
    *(fft.fft2, fft.ifft2, fft.rfft2, fft.irfft2),
    change=partial(axes_from_the_end, (-2, -1)),
    axes=Mixes(("axes",), default=(-2, -1)),
)
lanes_first(fft.fht, fft.ifht, change=along_the_last)
if fft.fftshift is not np.fft.fftshift:  # which depends on the version of SciPy
    lanes_first(fft.fftshift, fft.ifftshift, change=partial(axes_from_the_end, None))
