"""Short-time Fourier transforms and their inverse; trends.

A segment of a signal is multiplied by one matrix, in which are the window, the trend that is taken
away, the transform and the scale; SciPy's own answer for the unit vectors is this matrix. The
adjoint multiplies by the conjugate and adds up what overlaps.
"""

import warnings
from typing import Any

import numpy as np
from scipy import signal

from chainrules_py import composed
from chainrules_py.makers import linear_rule, primitive
from chainrules_py.projection import Space
from chainrules_py.rulesets.scipy.linear_pairs import linear_pair
from chainrules_py.rulesets.scipy.options import Options, with_options
from chainrules_py.rulesets.scipy.signal.recursive_filters import unextended
from chainrules_py.values.arrays import Array, call

SHORT_TIME = "fs window nperseg noverlap nfft detrend return_onesided boundary padded axis scaling"
INVERSE = "fs window nperseg noverlap nfft input_onesided boundary time_axis freq_axis scaling"


@linear_rule(signal.detrend)
def detrend_adjoint(
    y_bar, data: Space, *, axis: int = -1, type: str = "linear", bp: Any = 0
) -> Any:
    """A projection onto what has no trend."""
    return call(signal.detrend, y_bar, axis=axis, type=type, bp=bp)


@primitive
def short_time_fourier(x, **options) -> Any:
    """The coefficients that `scipy.signal.stft` returns next to frequencies and times."""
    # of short signals, which the caller hears of
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return signal.stft(x, **options)[2]


def segment_length(window, nperseg: int | None, n: int) -> int:
    """The length of a segment, which is the window's where that is an array."""
    return min(nperseg or 256, n) if isinstance(window, str | tuple) else len(window)


def segment_step(noverlap: int | None, length: int) -> int:
    """The distance from a segment to the next one."""
    return length - (length // 2 if noverlap is None else noverlap)


def added_up(segments, step: int) -> Any:
    """The sum of segments (..., length, count), each some steps after the one before."""
    length, count = segments.shape[-2:]
    total = np.zeros((*segments.shape[:-2], length + (count - 1) * step), segments.dtype)
    for k in range(count):
        total[..., k * step : k * step + length] += segments[..., k]
    return total


@with_options(signal.stft, SHORT_TIME)
def short_time_fourier_adjoint(y_bar, shape, *, options: Options) -> Any:
    """Each step of `stft` backwards: transform, segments, extension."""
    axis = options.axis % len(shape)
    n = shape[axis]
    length = segment_length(options.window, options.nperseg, n)
    step = segment_step(options.noverlap, length)
    one_segment = {
        "nperseg": length,
        "noverlap": length - step,
        "boundary": None,
        "padded": False,
        "axis": -1,
    }
    # its axes are entries and frequencies
    matrix = short_time_fourier(np.eye(length), **{**options, **one_segment})[..., 0]
    segments = np.tensordot(np.conj(matrix), np.moveaxis(y_bar, axis, -2), (1, -2))
    wide = added_up(segments.transpose(first_before_last(y_bar.ndim)), step)

    edge = length // 2 if options.boundary is not None else 0
    missing = n + 2 * edge - wide.shape[-1]
    widths = [(0, 0)] * (wide.ndim - 1) + [(0, max(missing, 0))]
    wide = np.pad(wide, widths)[..., : n + 2 * edge]
    return np.moveaxis(unextended(wide, n, edge, options.boundary), -1, axis)


def first_before_last(ndim: int) -> tuple[int, ...]:
    """The order of axes that moves the first one behind all but the last."""
    return (*range(1, ndim - 1), 0, ndim - 1)


linear_pair(short_time_fourier, short_time_fourier_adjoint)


@composed(signal.stft)
@with_options(signal.stft, SHORT_TIME)
def stft(x: Array, *, options: Options, xp) -> Any:
    """Frequencies and times do not move with the signal; that of a complex one has all frequencies."""
    frequencies, times, blank = signal.stft(np.zeros(x.shape, x.dtype), **options)
    z = xp.asarray(blank)
    if blank.size:
        one_sided = options.return_onesided and x.dtype.kind != "c"
        z = short_time_fourier(x, **{**options, "return_onesided": one_sided})
    return xp.asarray(frequencies), xp.asarray(times), z


@primitive
def inverse_short_time_fourier(x, **options) -> Any:
    """The signal that `scipy.signal.istft` returns next to times."""
    # of windows that lose something, which the caller hears of
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return signal.istft(x, **options)[1]


@with_options(signal.istft, INVERSE)
def inverse_short_time_fourier_adjoint(y_bar, shape, *, options: Options) -> Any:
    """Each step of `istft` backwards: norm, segments, window, transform."""
    window, one_sided = options.window, options.input_onesided
    time_axis, freq_axis = options.time_axis % len(shape), options.freq_axis % len(shape)
    frequencies, count = shape[freq_axis], shape[time_axis]
    usual = 2 * (frequencies - 1) if one_sided else frequencies
    length = usual if options.nperseg is None else options.nperseg
    size = options.nfft or (length if one_sided and length == usual + 1 else usual)
    step = segment_step(options.noverlap, length)
    w = np.asarray(signal.get_window(window, length) if isinstance(window, str | tuple) else window)

    norm = added_up(np.tile((w**2)[:, None], count), step)
    rows = np.moveaxis(y_bar, time_axis - (freq_axis < time_axis), -1)
    if options.boundary:
        rows = np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(length // 2, length // 2)])
    rows = rows / np.where(norm > 1e-10, norm, 1.0)

    segments = np.stack([rows[..., k * step : k * step + length] for k in range(count)], axis=-1)
    scale = w.sum() if options.scaling == "spectrum" else np.sqrt(options.fs * (w**2).sum())
    segments = segments * (w * scale)[:, None]

    transform = np.fft.rfft if one_sided else np.fft.fft
    z_bar = transform(segments, size, axis=-2) / size
    if one_sided:
        z_bar[..., 1 : (size + 1) // 2, :] *= 2
    missing = frequencies - z_bar.shape[-2]
    widths = [(0, 0)] * (z_bar.ndim - 2) + [(0, max(missing, 0)), (0, 0)]
    z_bar = np.pad(z_bar, widths)[..., :frequencies, :]
    return np.moveaxis(z_bar, (-2, -1), (freq_axis, time_axis))


linear_pair(inverse_short_time_fourier, inverse_short_time_fourier_adjoint)


@composed(signal.istft)
@with_options(signal.istft, INVERSE)
def istft(Zxx: Array, *, options: Options, xp) -> Any:
    """Times do not move with the transform."""
    times, _ = signal.istft(np.zeros(Zxx.shape, Zxx.dtype), **options)
    return xp.asarray(times), inverse_short_time_fourier(Zxx, **options)
