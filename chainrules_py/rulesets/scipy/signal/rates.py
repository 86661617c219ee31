"""Changes of the sampling rate, transforms along chirps, splines: adjoints as cheap as the functions."""

from math import ceil, gcd
from typing import Any

import numpy as np
from scipy import signal

from chainrules_py.errors import OptionError
from chainrules_py.rulesets.scipy.linear_pairs import linear_pair
from chainrules_py.rulesets.scipy.ndimage.boundaries import folded
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.rulesets.scipy.signal.by_unit_vectors import by_unit_vectors
from chainrules_py.rulesets.scipy.signal.recursive_filters import (
    filtfilt_adjoint,
    sosfiltfilt_adjoint,
)

# --- Polyphase filters ---

FOLDED = {
    "constant": "constant",
    "symmetric": "symmetric",
    "reflect": "reflect",
    "edge": "edge",
    "wrap": "wrap",
}


@with_options(signal.resample_poly, "up down axis window padtype")
def resample_poly_adjoint(y_bar, shape, *, options: Options) -> Any:
    """Spread out by `down`, filtered backwards, thinned out by `up`.

    The part beyond the ends goes back to where the signal was continued from.
    """
    axis, padtype = options.axis, options.padtype
    common = gcd(options.up, options.down)
    up, down, n = options.up // common, options.down // common, shape[axis]
    if up == down == 1:
        return np.array(y_bar)
    if n == 1 and padtype not in ("constant", "mean"):
        reduced = {**options, "up": up, "down": down}
        return by_unit_vectors(signal.resample_poly, 0)(y_bar, shape, **reduced)

    taps, half = taps_of(up, down, options.window)
    reach = 0 if padtype in ("constant", "mean") else ceil(len(taps) / up) + 1
    lines = np.moveaxis(y_bar, axis, -1)
    wide = spread_back(lines, taps, up, down, half + reach * up, n + 2 * reach)
    if padtype == "mean":
        wide = wide + ((lines.sum(-1) - wide.sum(-1)) / n)[..., None]
    elif padtype in ENDS:
        wide = ENDS[padtype](wide, n, reach)
    else:
        wide = unpadded(wide, n, reach, FOLDED[padtype])
    return np.moveaxis(wide, -1, axis)


def unpadded(wide, n: int, reach: int, mode: str) -> Any:
    """The adjoint of `numpy.pad` along the last axis."""
    others = wide.ndim - 1
    return folded(
        wide,
        (*wide.shape[:-1], n),
        [(0, 0)] * others + [(reach, reach)],
        ["constant"] * others + [mode],
    )


def taps_of(up: int, down: int, window) -> tuple[Any, int]:
    """The coefficients of SciPy's filter, and which is the middle one."""
    if isinstance(window, list) or hasattr(window, "shape"):
        return up * np.asarray(window), (len(window) - 1) // 2
    half = 10 * max(up, down)
    return up * signal.firwin(2 * half + 1, 1.0 / max(up, down), window=window), half


def spread_back(lines, taps, up: int, down: int, middle: int, n: int) -> Any:
    """x_bar[k] = sum_i conj(taps[middle + i down - k up]) y_bar[i], for n entries k."""
    backwards = np.conj(taps[::-1])
    first = len(taps) - 1 - middle  # where entry 0 is in the full correlation
    shift = -first % up if first >= 0 else -first
    found = signal.upfirdn(np.concatenate([np.zeros(shift), backwards]), lines, up=down, down=up)
    start = (first + shift) // up
    found = found[..., start : start + n]
    return np.pad(found, [(0, 0)] * (found.ndim - 1) + [(0, n - found.shape[-1])])


def line_folded(wide, n: int, reach: int) -> Any:
    """The adjoint of continuing a signal by the line through its first and last entry."""
    bars, steps = np.array(wide[..., reach : reach + n]), np.arange(1, reach + 1)
    left, right = wide[..., :reach][..., ::-1], wide[..., reach + n :]
    slope_bar = ((right - left) * steps).sum(-1) / (n - 1)
    bars[..., 0] += left.sum(-1) - slope_bar
    bars[..., -1] += right.sum(-1) + slope_bar
    return bars


def smooth_folded(wide, n: int, reach: int) -> Any:
    """The adjoint of continuing a signal by the lines through its first and its last two entries."""
    bars, steps = np.array(wide[..., reach : reach + n]), np.arange(1, reach + 1)
    for part, end, next_end in (
        (wide[..., :reach][..., ::-1], 0, 1),
        (wide[..., reach + n :], -1, -2),
    ):
        bars[..., end] += (part * (1 + steps)).sum(-1)
        bars[..., next_end] -= (part * steps).sum(-1)
    return bars


def antisymmetric_folded(wide, n: int, reach: int) -> Any:
    """The adjoint of reflections with the sign changed."""
    return unpadded(wide * (-1.0) ** (np.arange(-reach, n + reach) // n), n, reach, "symmetric")


def antireflect_folded(wide, n: int, reach: int) -> Any:
    """The adjoint of turning by half a turn around the ends.

    What is above the line through these changes its sign.
    """
    places = np.arange(-reach, n + reach)
    bars = unpadded(wide * (-1.0) ** (places // (n - 1)), n, reach, "reflect")
    along, own = places / (n - 1), np.arange(n) / (n - 1)
    first = (wide * (1 - along)).sum(-1) - (bars * (1 - own)).sum(-1)
    last = (wide * along).sum(-1) - (bars * own).sum(-1)
    bars[..., 0] += first
    bars[..., -1] += last
    return bars


ENDS = {
    "line": line_folded,
    "smooth": smooth_folded,
    "antisymmetric": antisymmetric_folded,
    "antireflect": antireflect_folded,
}


def refuse_padtype(padtype: str = "constant", **options) -> None:
    """Raise where the signal is continued by a statistic that is not linear."""
    if padtype in ("median", "maximum", "minimum"):
        raise OptionError(
            "the rule of scipy.signal.resample_poly",
            f"got padtype={padtype!r}, which is not linear",
            "pass padtype='mean' or 'line', or subtract the statistic before and add it after the"
            " call",
            primal=signal.resample_poly,
            option="padtype",
            value=padtype,
        )


def decimating_filter(q: int, n, ftype) -> tuple[str, Any]:
    """The coefficients of SciPy's filter, and their form."""
    if isinstance(ftype, str):
        if ftype == "fir":
            return "fir", signal.firwin((20 * q if n is None else n) + 1, 1.0 / q, window="hamming")
        return "sos", signal.cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos")
    zpk, tf = ftype.to_zpk(), ftype.to_tf()
    if not len(zpk.poles):
        return "fir", tf.num / tf.den
    if np.iscomplex(zpk.poles).any() or np.iscomplex(zpk.gain):
        return "ba", (tf.num, tf.den)
    return "sos", signal.zpk2sos(zpk.zeros, zpk.poles, zpk.gain)


@with_options(signal.decimate, "q n ftype axis zero_phase")
def decimate_adjoint(y_bar, shape, *, options: Options) -> Any:
    """Zeros for what was left out, and the adjoint of the filter."""
    axis, q = options.axis, options.q
    form, given = decimating_filter(q, options.n, options.ftype)
    if form == "fir":
        if options.zero_phase:
            return resample_poly_adjoint(y_bar, shape, up=1, down=q, axis=axis, window=given)
        lines = np.moveaxis(y_bar, axis, -1)
        return np.moveaxis(spread_back(lines, given, 1, q, 0, shape[axis]), -1, axis)

    wide = np.zeros(shape, y_bar.dtype)
    np.moveaxis(wide, axis, 0)[::q] = np.moveaxis(y_bar, axis, 0)
    backwards = np.flip(wide, axis)
    if form == "sos":
        if options.zero_phase:
            return sosfiltfilt_adjoint(wide, shape, given, axis)
        return np.flip(signal.sosfilt(given, backwards, axis), axis)
    numerator, denominator = given
    if options.zero_phase:
        return filtfilt_adjoint(wide, shape, numerator, denominator, axis)
    return np.flip(signal.lfilter(numerator, denominator, backwards, axis), axis)


linear_pair(
    signal.resample_poly, resample_poly_adjoint, value_only=("cval",), refuse=refuse_padtype
)
linear_pair(signal.decimate, decimate_adjoint)

# --- Chirps ---


def czt_adjoint(y_bar, shape, m: Any = None, w: Any = None, a: complex = 1, axis: int = -1) -> Any:
    """x_bar[n] = conj(a)^n sum_k conj(w)^(n k) y_bar[k], up to signs of exponents: another chirp."""
    n = shape[axis]
    if w is None:
        w = np.exp(-2j * np.pi / (n if m is None else m))
    found = np.moveaxis(signal.czt(y_bar, n, np.conj(w), axis=axis), axis, -1)
    return np.moveaxis(found * np.conj(complex(a)) ** -np.arange(n), -1, axis)


@with_options(signal.zoom_fft, "fn m fs endpoint axis")
def zoom_fft_adjoint(y_bar, shape, *, options: Options) -> Any:
    """The transform at the frequencies between two ends."""
    axis, fn, fs = options.axis, options.fn, options.fs
    m = shape[axis] if options.m is None else options.m
    low, high = (0.0, fn) if np.size(fn) == 1 else fn
    step = (high - low) / ((m - 1 if options.endpoint else m) * fs)
    ratio, start = np.exp(-2j * np.pi * float(step)), np.exp(2j * np.pi * float(low) / fs)
    return czt_adjoint(y_bar, shape, m, ratio, start, axis)


linear_pair(signal.czt, czt_adjoint)
linear_pair(signal.zoom_fft, zoom_fft_adjoint)

# --- Splines ---


def spline_adjoint(function, pole: float, gain: float) -> Any:
    """The adjoint of a filter that runs forwards from a sum over all entries, and backwards."""

    def adjoint(y_bar, shape, lamb: float = 0.0) -> Any:
        if len(shape) != 1:
            raise ValueError(f"got a signal of {len(shape)} axes; pass one with one axis")
        if lamb or shape[0] < 2:
            return by_unit_vectors(
                lambda x, axis: np.stack([function(column, lamb) for column in x.T], -1)
            )(y_bar, shape)
        a = np.array([1.0, -pole])
        filtered: Any = signal.lfilter([gain], a, y_bar)
        back = -pole * filtered
        back[-1] /= 1 - pole
        found = signal.lfilter([1.0], a, back[::-1])[::-1]
        return found + pole ** np.arange(1, shape[0] + 1) * found[0]

    return adjoint


linear_pair(signal.cspline1d, spline_adjoint(signal.cspline1d, 3**0.5 - 2, 6.0), "lamb")
linear_pair(signal.qspline1d, spline_adjoint(signal.qspline1d, 8**0.5 - 3, 8.0), "lamb")
