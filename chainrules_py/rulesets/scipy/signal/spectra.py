"""Power spectra, cross spectra and coherence.

Averages over segments of products of short-time Fourier transforms.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import signal

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.formulas.matrices import passes_zero
from chainrules_py.rulesets.scipy.linear_pairs import transposed
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.rulesets.scipy.signal.short_time import segment_length, short_time_fourier
from chainrules_py.tangents import ZERO, is_zero
from chainrules_py.values.arrays import Array, call

SPECTRAL = "fs window nperseg noverlap nfft detrend axis"


class Spectra:
    """The transforms of segments of signals along an axis, and how much each frequency counts.

    `one_sided` leaves out negative frequencies; `n` is the length of the longest signal.
    """

    def __init__(self, one_sided: bool, n: int, options: dict[str, Any]) -> None:
        self.n, self.axis = n, options["axis"]
        window, scaling = options["window"], options["scaling"]
        length = segment_length(window, options["nperseg"], n)
        size = options["nfft"] or length
        self.options = {
            "fs": options["fs"],
            "window": window,
            "nperseg": length,
            "noverlap": options["noverlap"],
            "nfft": size,
            "detrend": options["detrend"],
            "return_onesided": one_sided,
            "boundary": None,
            "padded": False,
            "scaling": "psd" if scaling == "density" else scaling,
        }
        self.counts = np.ones(size // 2 + 1 if one_sided else size)
        if one_sided:
            self.counts[1 : (size + 1) // 2] = 2

    def of(self, x, xp) -> Any:
        """The transforms (..., frequencies, segments) of a signal, continued with zeros to `n`."""
        rows = xp.moveaxis(x, self.axis, -1)
        missing = self.n - rows.shape[-1]
        if missing:
            rows = xp.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, missing)])
        return short_time_fourier(rows, **self.options)

    def back(self, z_bar, x, xp) -> Any:
        """The adjoint of `of`, for a signal like `x`, along whose other axes z may be broadcast."""
        rows_shape = tuple(np.delete(x.shape, self.axis))
        z_bar = unbroadcast(z_bar, (*rows_shape, *z_bar.shape[-2:]), xp)
        rows = transposed(z_bar, short_time_fourier, (*rows_shape, self.n), x.dtype, self.options)
        return xp.moveaxis(rows[..., : x.shape[self.axis]], -1, self.axis)

    def mean(self, products, xp) -> Any:
        """The average over segments of what belongs to each frequency."""
        return xp.moveaxis(xp.mean(products, axis=-1) * self.counts, -1, self.axis)

    def spread(self, p_bar, segments: int, xp) -> Any:
        """The adjoint of the average."""
        return (xp.moveaxis(p_bar, self.axis, -1) * (self.counts / segments))[..., None]


def of_spectrum(push: Callable[[Any], Any], pull: Callable[[Any], Any]) -> LinearMap:
    """The map to a spectrum, which is returned next to frequencies that do not move."""
    return LinearMap(
        lambda dot: (ZERO, push(dot)),
        lambda bars: ZERO if is_zero(bars[1]) else pull(bars[1]),
    )


@linearised_rule(signal.csd)
@with_options(signal.csd, f"{SPECTRAL} return_onesided scaling")
def csd_linearised(x: Array, y: Array, *, options: Options, out, xp) -> tuple[LinearMap, LinearMap]:
    """The average of conj(X) Y."""
    axis = options.axis
    if x.ndim != y.ndim and axis != -1:
        raise ValueError(
            f"scipy.signal: got signals of {x.ndim} and {y.ndim} axes and axis={axis}, whose spectra"
            " SciPy does not broadcast; pass axis=-1, or signals with as many axes"
        )
    one_sided = options.return_onesided and x.dtype.kind != "c" and y.dtype.kind != "c"
    spectra = Spectra(one_sided, max(x.shape[axis], y.shape[axis]), options)
    dtype = np.result_type(x.dtype, y.dtype)  # SciPy computes both in the precision of both
    of_x, of_y = spectra.of(x.astype(dtype), xp), spectra.of(y.astype(dtype), xp)

    def spread(p_bar) -> Any:
        return spectra.spread(p_bar, of_x.shape[-1], xp)

    by_x = of_spectrum(
        lambda dot: spectra.mean(xp.conj(spectra.of(dot, xp)) * of_y, xp),
        lambda p_bar: spectra.back(xp.conj(spread(p_bar)) * of_y, x, xp),
    )
    by_y = of_spectrum(
        lambda dot: spectra.mean(xp.conj(of_x) * spectra.of(dot, xp), xp),
        lambda p_bar: spectra.back(spread(p_bar) * of_x, y, xp),
    )
    return by_x, by_y


def power_map(spectra: Spectra, x, xp) -> LinearMap:
    """The derivative of the average of |X|^2."""
    of_x = spectra.of(x, xp)

    def pullback(p_bar) -> Any:
        spread = spectra.spread(p_bar, of_x.shape[-1], xp)
        return spectra.back(2 * xp.real(spread) * of_x, x, xp)

    return of_spectrum(
        lambda dot: spectra.mean(2 * xp.real(xp.conj(of_x) * spectra.of(dot, xp)), xp),
        pullback,
    )


@linearised_rule(signal.welch)
@with_options(signal.welch, f"{SPECTRAL} return_onesided scaling")
def welch_linearised(x: Array, *, options: Options, out, xp) -> LinearMap:
    one_sided = options.return_onesided and x.dtype.kind != "c"
    return power_map(Spectra(one_sided, x.shape[options.axis], options), x, xp)


@linearised_rule(signal.periodogram)
@with_options(signal.periodogram, "fs window nfft detrend return_onesided scaling axis")
def periodogram_linearised(x: Array, *, options: Options, out, xp) -> LinearMap:
    """One segment, of which `nfft` may crop the end."""
    one_sided = options.return_onesided and x.dtype.kind != "c"
    n, nfft = x.shape[options.axis], options.nfft
    used = min(n, nfft or n)
    of_one_segment = {
        "window": "boxcar" if options.window is None else options.window,
        "nperseg": used,
        "noverlap": 0,
        "nfft": max(nfft or n, used),
    }
    spectra = Spectra(one_sided, used, {**options, **of_one_segment})
    if used == n:
        return power_map(spectra, x, xp)

    axis = options.axis % x.ndim
    part = tuple(slice(used if k == axis else None) for k in range(x.ndim))
    widths = [(0, n - used if k == axis else 0) for k in range(x.ndim)]
    linear = power_map(spectra, x[part], xp)
    padded = passes_zero(lambda x_bar: xp.pad(x_bar, widths))
    return LinearMap(lambda dot: linear.push(dot[part]), lambda bars: padded(linear.pull(bars)))


@linearised_rule(signal.coherence)
@with_options(signal.coherence, SPECTRAL)
def coherence_linearised(
    x: Array, y: Array, *, options: Options, out, xp
) -> tuple[LinearMap, LinearMap]:
    """C = |P_xy|^2 / (P_xx P_yy), so that C' / C = 2 Re(P_xy' / P_xy) - P_xx' / P_xx - P_yy' / P_yy."""
    cross = call(signal.csd, x, y, **options)[1]
    of_x, of_y = call(signal.welch, x, **options)[1], call(signal.welch, y, **options)[1]
    both = csd_linearised(x, y, **options, out=None, xp=xp)
    alone = (
        welch_linearised(x, **options, out=None, xp=xp),
        welch_linearised(y, **options, out=None, xp=xp),
    )
    c, inverse = out[1], 1 / (of_x * of_y)

    def map_of(position: int) -> LinearMap:
        by_cross, by_own, own = both[position], alone[position], (of_x, of_y)[position]

        def push(dot) -> Any:
            moved = 2 * xp.real(xp.conj(cross) * by_cross.push(dot)[1]) * inverse
            return moved - c / own * by_own.push(dot)[1]

        def pull(c_bar) -> Any:
            own_bar = unbroadcast(c / own * c_bar, own.shape, xp)
            cross_bar = 2 * cross * inverse * c_bar
            return by_cross.pull((ZERO, cross_bar)) - by_own.pull((ZERO, own_bar))

        return of_spectrum(push, pull)

    return map_of(0), map_of(1)
