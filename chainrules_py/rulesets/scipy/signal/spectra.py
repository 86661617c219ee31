"""Power spectra, cross spectra and coherence.

Averages over segments of products of short-time Fourier transforms.
"""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_py import Array, composed
from chainrules_py.rulesets.formulas.runs import index_along
from chainrules_py.rulesets.scipy.options import Options, blank, with_options
from chainrules_py.rulesets.scipy.signal.recursive_filters import cut_or_padded
from chainrules_py.rulesets.scipy.signal.short_time import segment_length, short_time_fourier

SPECTRAL = "fs window nperseg noverlap nfft detrend axis"


def transforms(x, n: int, length: int, one_sided: bool, options: Options, xp) -> Any:
    """The transforms (..., segments, frequencies) of a signal, continued with zeros to `n`."""
    lines = cut_or_padded(xp.moveaxis(x, options.axis, -1), n, xp)
    return short_time_fourier(lines, length, options, xp, one_sided=one_sided)


@with_options(signal.csd, f"{SPECTRAL} return_onesided scaling", composed)
def csd(x: Array, y: Array, *, options: Options, xp) -> Any:
    """The average of conj(X) Y, which is real for a signal with itself."""
    # for SciPy's errors and warnings, and for signals that are empty
    frequencies, like = signal.csd(blank(x), blank(y), **options)
    if not like.size:
        return xp.asarray(frequencies), xp.asarray(like)

    axis = options.axis
    if x.ndim != y.ndim and axis != -1:
        raise ValueError(
            f"scipy.signal: got signals of {x.ndim} and {y.ndim} axes and axis={axis}, whose spectra"
            " SciPy does not broadcast; pass axis=-1, or signals with as many axes"
        )
    one_sided = options.return_onesided and "c" not in (x.dtype.kind, y.dtype.kind)
    n, dtype = max(x.shape[axis], y.shape[axis]), np.result_type(x.dtype, y.dtype)
    length = segment_length(options.window, options.nperseg, n)
    of_x = transforms(x.astype(dtype), n, length, one_sided, options, xp)
    of_y = of_x if y is x else transforms(y.astype(dtype), n, length, one_sided, options, xp)

    counts = np.ones(len(frequencies), of_x.real.dtype)
    if one_sided:
        # all but the first, and the last of an even count, stand for a negative one, too
        counts[1 : ((options.nfft or length) + 1) // 2] = 2
    spectrum = xp.mean(xp.conj(of_x) * of_y, axis=-2) * counts
    found = xp.real(spectrum) if y is x else spectrum
    return xp.asarray(frequencies), xp.moveaxis(found, -1, axis)


@with_options(signal.welch, f"{SPECTRAL} return_onesided scaling", composed)
def welch(x: Array, *, options: Options, xp) -> Any:
    """The spectrum of a signal with itself."""
    return csd(x, x, **options, xp=xp)


@with_options(signal.periodogram, "fs window nfft detrend return_onesided scaling axis", composed)
def periodogram(x: Array, *, options: Options, xp):
    """The spectrum of one segment, whose end `nfft` may cut off."""
    n = x.shape[options.axis]
    used = n if options.nfft is None else min(n, options.nfft)
    of_one_segment = {
        "window": "boxcar" if options.window is None else options.window,
        "nperseg": used,
        "noverlap": 0,
    }
    part = x if used == n else x[index_along(options.axis % x.ndim, slice(used))]
    return welch(part, **{**options, **of_one_segment}, xp=xp)


@with_options(signal.coherence, SPECTRAL, composed)
def coherence(x: Array, y: Array, *, options: Options, xp):
    """|P_xy|^2 / P_xx / P_yy."""
    cross = csd(x, y, **options, xp=xp)[1]
    frequencies, of_x = welch(x, **options, xp=xp)
    of_y = welch(y, **options, xp=xp)[1]
    return frequencies, xp.real(xp.conj(cross) * cross) / of_x / of_y
