"""Transforms of many examples at once: axes are counted from the end."""

from functools import partial

import numpy as np
from scipy import fft

from chainrules_py import batched
from chainrules_py.batching.along_axes import Mixes, from_the_end
from chainrules_py.batching.lanes import Lanes
from chainrules_py.batching.loop import looped
from chainrules_py.rulesets.scipy.lanes_first import (
    Given,
    along_the_last,
    axes_from_the_end,
    lanes_first,
)
from chainrules_py.values.arrays import call, shape_of


def axes_of_lengths(options: Given, rank: int) -> Given:
    """The option `axes`, of which lengths alone name the last ones."""
    axes, s = options.get("axes"), options.get("s")
    if axes is None and s is not None:
        axes = tuple(range(-np.size(s), 0))
    return {**options, "axes": from_the_end(axes, rank)}


lanes_first(
    *(fft.fft, fft.ifft, fft.rfft, fft.irfft, fft.hfft, fft.ihfft),
    *(fft.dct, fft.idct, fft.dst, fft.idst),
)
lanes_first(
    *(fft.fftn, fft.ifftn, fft.rfftn, fft.irfftn, fft.hfftn, fft.ihfftn),
    *(fft.dctn, fft.idctn, fft.dstn, fft.idstn),
    change=axes_of_lengths,
    axes=Mixes(("axes",)),
)
lanes_first(
    *(fft.fft2, fft.ifft2, fft.rfft2, fft.irfft2, fft.hfft2, fft.ihfft2),
    change=partial(axes_from_the_end, (-2, -1)),
    axes=Mixes(("axes",), default=(-2, -1)),
)
lanes_first(fft.fht, fft.ifht, change=along_the_last)
if fft.fftshift is not np.fft.fftshift:  # which depends on the version of SciPy
    lanes_first(fft.fftshift, fft.ifftshift, change=partial(axes_from_the_end, None))


def frequencies_in_lanes(primal) -> None:
    """Register a function that is inversely proportional to the spacing of the samples."""

    @batched.register(primal)
    def frequencies_batched(lanes: Lanes, n: object, *spacing, **options):
        if lanes[0] or shape_of(spacing[0])[1:]:
            return looped(partial(call, primal), lanes, (n, *spacing), options)
        return call(primal, n, 1.0, **options) / spacing[0][..., None]


frequencies_in_lanes(fft.fftfreq)
frequencies_in_lanes(fft.rfftfreq)
