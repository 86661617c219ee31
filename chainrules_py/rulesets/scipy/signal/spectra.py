"""Power spectra, cross spectra and coherence: averages over segments of products of short-time
Fourier transforms.
"""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_py.makers import LinearMap, linearised_rule
from chainrules_py.projection.broadcasting import unbroadcast
from chainrules_py.rulesets.scipy.linear_pairs import transposed
from chainrules_py.rulesets.scipy.signal.short_time import WINDOW, short_time_fourier
from chainrules_py.tangents import ZERO, is_zero
from chainrules_py.values.arrays import Array, call


class Spectra:
    """The transforms of segments of signals along an axis, and how much each frequency counts."""

    def __init__(
        self,
        one: bool,
        n: int,
        axis: int,
        scaling: str,
        nperseg: Any,
        nfft: Any,
        window: Any,
        **options: Any,
    ) -> None:
        self.axis = axis
        length = min(nperseg or 256, n) if isinstance(window, str | tuple) else len(window)
        size = nfft or length
        self.counts = np.ones(size // 2 + 1 if one else size)
        if one:
            self.counts[1 : (size + 1) // 2] = 2
        self.n, self.options = (
            n,
            {
                "window": window,
                "nperseg": length,
                "nfft": size,
                "boundary": None,
                "padded": False,
            },
        )
        self.options |= {
            "return_onesided": one,
            "scaling": "psd" if scaling == "density" else scaling,
            **options,
        }

    def of(self, x: Any, xp: Any) -> Any:
        """The transforms (..., frequencies, segments) of a signal, continued with zeros to the
        common length.
        """
        rows = xp.moveaxis(x, self.axis, -1)
        missing = self.n - rows.shape[-1]
        rows = xp.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, missing)]) if missing else rows
        return short_time_fourier(rows, **self.options)

    def back(self, z_bar: Any, x: Any, xp: Any) -> Any:
        """The adjoint, for a signal like `x`, over whose other axes a product may have been
        broadcast.
        """
        rows_shape = tuple(np.delete(x.shape, self.axis))
        z_bar = unbroadcast(z_bar, (*rows_shape, *z_bar.shape[-2:]), xp)
        rows = transposed(z_bar, short_time_fourier, (*rows_shape, self.n), x.dtype, self.options)
        return xp.moveaxis(rows[..., : x.shape[self.axis]], -1, self.axis)

    def mean(self, products: Any, xp: Any) -> Any:
        """The average over segments of what belongs to each frequency."""
        return xp.moveaxis(xp.mean(products, axis=-1) * self.counts, -1, self.axis)

    def spread(self, p_bar: Any, segments: int, xp: Any) -> Any:
        """The adjoint of the average."""
        return (xp.moveaxis(p_bar, self.axis, -1) * (self.counts / segments))[..., None]


@linearised_rule(signal.csd)
def csd_linearised(
    x: Array,
    y: Array,
    *,
    fs: float = 1.0,
    window: Any = WINDOW,
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    out: Any,
    xp: Any,
) -> tuple[LinearMap, LinearMap]:
    """The average of conj(X) Y."""
    one = return_onesided and x.dtype.kind != "c" and y.dtype.kind != "c"
    n = max(x.shape[axis], y.shape[axis])
    spectra = Spectra(
        one, n, axis, scaling, nperseg, nfft, window, fs=fs, noverlap=noverlap, detrend=detrend
    )
    of_x, of_y = spectra.of(x, xp), spectra.of(y, xp)

    def spread(bars: Any) -> Any:
        return spectra.spread(bars[1], of_x.shape[-1], xp)

    return (
        LinearMap(
            lambda dot: (ZERO, spectra.mean(xp.conj(spectra.of(dot, xp)) * of_y, xp)),
            lambda bars: (
                ZERO if is_zero(bars[1]) else spectra.back(xp.conj(spread(bars)) * of_y, x, xp)
            ),
        ),
        LinearMap(
            lambda dot: (ZERO, spectra.mean(xp.conj(of_x) * spectra.of(dot, xp), xp)),
            lambda bars: ZERO if is_zero(bars[1]) else spectra.back(spread(bars) * of_x, y, xp),
        ),
    )


def power_map(spectra: Spectra, x: Any, xp: Any) -> LinearMap:
    """The derivative of the average of |X|^2."""
    of_x = spectra.of(x, xp)

    def pullback(bars: Any) -> Any:
        if is_zero(bars[1]):
            return ZERO
        return spectra.back(2 * xp.real(spectra.spread(bars[1], of_x.shape[-1], xp)) * of_x, x, xp)

    return LinearMap(
        lambda dot: (ZERO, spectra.mean(2 * xp.real(xp.conj(of_x) * spectra.of(dot, xp)), xp)),
        pullback,
    )


@linearised_rule(signal.welch)
def welch_linearised(
    x: Array,
    *,
    fs: float = 1.0,
    window: Any = WINDOW,
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    out: Any,
    xp: Any,
) -> LinearMap:
    one = return_onesided and x.dtype.kind != "c"
    options = {"fs": fs, "noverlap": noverlap, "detrend": detrend}
    return power_map(
        Spectra(one, x.shape[axis], axis, scaling, nperseg, nfft, window, **options), x, xp
    )


@linearised_rule(signal.periodogram)
def periodogram_linearised(
    x: Array,
    *,
    fs: float = 1.0,
    window: Any = "boxcar",
    nfft: Any = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    out: Any,
    xp: Any,
) -> LinearMap:
    """One segment, of which `nfft` may crop the end."""
    one, n = return_onesided and x.dtype.kind != "c", x.shape[axis]
    kept = min(n, nfft or n)
    window = "boxcar" if window is None else window
    spectra = Spectra(
        one,
        kept,
        axis,
        scaling,
        kept,
        max(nfft or n, kept),
        window,
        fs=fs,
        noverlap=0,
        detrend=detrend,
    )
    if kept == n:
        return power_map(spectra, x, xp)
    part = tuple(slice(kept if k == axis % x.ndim else None) for k in range(x.ndim))
    linear = power_map(spectra, x[part], xp)
    widths = [(0, n - kept if k == axis % x.ndim else 0) for k in range(x.ndim)]
    return LinearMap(
        lambda dot: linear.push(dot[part]), lambda bars: padded(linear.pull(bars), widths, xp)
    )


def padded(x_bar: Any, widths: Any, xp: Any) -> Any:
    """Zeros for what was cropped; a zero stays one."""
    return x_bar if is_zero(x_bar) else xp.pad(x_bar, widths)


@linearised_rule(signal.coherence)
def coherence_linearised(
    x: Array,
    y: Array,
    *,
    fs: float = 1.0,
    window: Any = WINDOW,
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = "constant",
    axis: int = -1,
    out: Any,
    xp: Any,
) -> tuple[LinearMap, LinearMap]:
    """C = |P_xy|^2 / (P_xx P_yy), so that C' / C = 2 Re(P_xy' / P_xy) - P_xx' / P_xx - P_yy' /
    P_yy.
    """
    options = {"fs": fs, "window": window, "nperseg": nperseg, "noverlap": noverlap}
    options |= {"nfft": nfft, "detrend": detrend, "axis": axis}
    cross, of_x, of_y = (
        call(function, *args, **options)[1] for function, args in _spectra_of(x, y)
    )
    both = csd_linearised(x, y, **options, out=None, xp=xp)
    alone = (
        welch_linearised(x, **options, out=None, xp=xp),
        welch_linearised(y, **options, out=None, xp=xp),
    )
    c, inverse = out[1], 1 / (of_x * of_y)

    def map_of(position: int) -> LinearMap:
        by_cross, by_own, own = both[position], alone[position], (of_x, of_y)[position]

        def pushforward(dot: Any) -> Any:
            moved = 2 * xp.real(xp.conj(cross) * by_cross.push(dot)[1]) * inverse
            return ZERO, moved - c / own * by_own.push(dot)[1]

        def pullback(bars: Any) -> Any:
            if is_zero(bars[1]):
                return ZERO
            own_bar = unbroadcast(c / own * bars[1], own.shape, xp)
            return by_cross.pull((ZERO, 2 * cross * inverse * bars[1])) - by_own.pull(
                (ZERO, own_bar)
            )

        return LinearMap(pushforward, pullback)

    return map_of(0), map_of(1)


def _spectra_of(x: Any, y: Any) -> tuple[tuple[Any, tuple[Any, ...]], ...]:
    """The calls that a coherence is made of."""
    return (signal.csd, (x, y)), (signal.welch, (x,)), (signal.welch, (y,))
