"""Short-time Fourier transforms and their inverse; trends.

Segments of a signal are rows, of which the blocks of one step each are neighbours in the signal.
"""

from functools import reduce
from operator import add
from typing import Any

import numpy as np
from scipy import signal

from chainrules_py import composed
from chainrules_py.makers import linear_rule
from chainrules_py.projection import Space
from chainrules_py.rulesets.formulas.matrices import zero_padded
from chainrules_py.rulesets.scipy.options import Options, blank, with_options
from chainrules_py.rulesets.scipy.signal.recursive_filters import cut_or_padded, extended
from chainrules_py.values.arrays import Array, call

SHORT_TIME = "fs window nperseg noverlap nfft detrend return_onesided boundary padded axis scaling"
INVERSE = "fs window nperseg noverlap nfft input_onesided boundary time_axis freq_axis scaling"


@linear_rule(signal.detrend)
def detrend_adjoint(y_bar, data: Space, *, axis: int = -1, type: str = "linear", bp: Any = 0):
    """The projection onto signals without a trend, which is its own adjoint."""
    return call(signal.detrend, y_bar, axis=axis, type=type, bp=bp)


def segment_length(window, nperseg: int | None, n: int) -> int:
    """The length of a segment, which is the window's where that is an array."""
    return min(int(nperseg or 256), n) if isinstance(window, str | tuple) else len(window)


def segment_step(noverlap: int | None, length: int) -> int:
    """The distance from a segment to the next one."""
    return length - (length // 2 if noverlap is None else int(noverlap))


def window_of(window, length: int, dtype) -> Any:
    """The weights in a segment of a signal of this dtype."""
    named = isinstance(window, str | tuple)
    weights: Any = signal.get_window(window, length) if named else np.asarray(window)
    return weights.astype(dtype) if np.dtype(dtype).kind in "fc" else weights


def in_segments(lines, length: int, step: int, xp) -> Any:
    """The segments (..., count, length) of signals."""
    count, parts = (lines.shape[-1] - length) // step + 1, -(-length // step)
    whole = cut_or_padded(lines, (count - 1 + parts) * step, xp)
    blocks = xp.reshape(whole, (*whole.shape[:-1], count - 1 + parts, step))
    wide = xp.concatenate([blocks[..., k : k + count, :] for k in range(parts)], axis=-1)
    return wide[..., :length]


def added_up(segments, step: int, xp) -> Any:
    """The sum of segments (..., count, length), each a step after the one before."""
    count, length = segments.shape[-2:]
    parts, others = -(-length // step), segments.shape[:-2]
    wide = xp.reshape(cut_or_padded(segments, parts * step, xp), (*others, count, parts, step))

    def moved(k: int):
        return zero_padded(wide[..., k, :], (k, parts - 1 - k), (0, 0), xp=xp)

    total = reduce(add, map(moved, range(parts)))
    whole = xp.reshape(total, (*others, (count - 1 + parts) * step))
    return whole[..., : (count - 1) * step + length]


def short_time_fourier(
    lines, length: int, options: Options, xp, *, one_sided: bool, axis: int = -1
) -> Any:
    """The transforms (..., count, frequencies) of the segments of signals."""
    segments = in_segments(lines, length, segment_step(options.noverlap, length), xp)
    if callable(options.detrend):  # which finds the entries along the axis of the signals
        found = options.detrend(xp.moveaxis(segments, -1, axis))
        segments = xp.moveaxis(found, axis, -1)
    elif options.detrend:
        segments = call(signal.detrend, segments, type=options.detrend)

    window = window_of(options.window, length, lines.dtype)
    density = options.scaling in ("psd", "density")
    scale = (options.fs * (window * window).sum()) ** 0.5 if density else window.sum()
    transform = xp.fft.rfft if one_sided else xp.fft.fft
    weights = xp.asarray(window / scale)
    z = transform(segments * weights, options.nfft or length, axis=-1)
    return z.astype(np.result_type(lines.dtype, np.complex64))


@with_options(signal.stft, SHORT_TIME, composed)
def stft(x: Array, *, options: Options, xp) -> Any:
    """Frequencies and times are constants; a complex signal has all frequencies."""
    frequencies, times, like = signal.stft(blank(x), **options)
    if not like.size:
        return xp.asarray(frequencies), xp.asarray(times), xp.asarray(like)
    axis = int(options.axis)
    length = segment_length(options.window, options.nperseg, x.shape[axis])
    edge = length // 2 if options.boundary else 0
    lines = extended(xp.moveaxis(x, axis, -1), edge, options.boundary, xp)
    if options.padded:
        step = segment_step(options.noverlap, length)
        missing = -(lines.shape[-1] - length) % step % length
        lines = zero_padded(lines, (0, missing), xp=xp)
    one_sided = options.return_onesided and x.dtype.kind != "c"
    z = short_time_fourier(lines, length, options, xp, one_sided=one_sided, axis=axis)
    z = xp.moveaxis(z, -1, axis - 1 if axis < 0 else axis)
    return xp.asarray(frequencies), xp.asarray(times), z


@with_options(signal.istft, INVERSE, composed)
def istft(Zxx: Array, *, options: Options, xp) -> Any:
    """The times are constants."""
    times, like = signal.istft(blank(Zxx), **options)
    time_axis, freq_axis = options.time_axis % Zxx.ndim, options.freq_axis % Zxx.ndim
    one_sided, count = options.input_onesided, Zxx.shape[freq_axis]
    usual = 2 * (count - 1) if one_sided else count
    length = usual if options.nperseg is None else int(options.nperseg)
    size = options.nfft or (length if one_sided and length == usual + 1 else usual)
    step = segment_step(options.noverlap, length)

    rows = xp.moveaxis(Zxx, (time_axis, freq_axis), (-2, -1))
    segments = (xp.fft.irfft if one_sided else xp.fft.ifft)(rows, size, axis=-1)[..., :length]
    window = window_of(options.window, length, like.dtype)
    powers = np.broadcast_to(window**2, (Zxx.shape[time_axis], length))
    norm = added_up(powers, step, np)
    scale = (options.fs * powers[0].sum()) ** 0.5 if options.scaling == "psd" else window.sum()
    lines = added_up(segments * xp.asarray(window * scale), step, xp)
    lines = lines / xp.asarray(np.where(norm > 1e-10, norm, 1.0).astype(norm.dtype))
    if options.boundary:
        lines = lines[..., length // 2 : -(length // 2)]
    lines = xp.moveaxis(lines, -1, time_axis - (freq_axis < time_axis))
    return xp.asarray(times), lines
