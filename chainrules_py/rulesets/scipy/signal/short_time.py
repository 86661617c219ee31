"""Short-time Fourier transforms and their inverse; trends.

A segment of a signal is multiplied by one matrix, in which are the window, the trend that is taken
away, the transform and the scale; SciPy's own answer for the unit vectors is this matrix. The
adjoint multiplies by the conjugate and adds up what overlaps.
"""

import warnings
from inspect import signature
from typing import Any

import numpy as np
from scipy import signal

from chainrules_py.makers import LinearMap, linear_rule, linearised_rule, primitive
from chainrules_py.projection import Space
from chainrules_py.rulesets.scipy.linear_pairs import linear_pair, transposed
from chainrules_py.rulesets.scipy.signal.recursive_filters import unextended
from chainrules_py.tangents import ZERO, is_zero
from chainrules_py.values.arrays import Array, call

# versions have different names for the same one
WINDOW = signature(signal.stft).parameters["window"].default


@linear_rule(signal.detrend)
def detrend_adjoint(
    y_bar: Any, data: Space, *, axis: int = -1, type: str = "linear", bp: Any = 0
) -> Any:
    """A projection onto what has no trend."""
    return call(signal.detrend, y_bar, axis=axis, type=type, bp=bp)


@primitive
def short_time_fourier(
    x: Any,
    fs: float = 1.0,
    window: Any = WINDOW,
    nperseg: Any = 256,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = False,
    return_onesided: bool = True,
    boundary: Any = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: str = "spectrum",
) -> Any:
    """The coefficients that `scipy.signal.stft` returns next to frequencies and times."""
    args = (
        x,
        fs,
        window,
        nperseg,
        noverlap,
        nfft,
        detrend,
        return_onesided,
        boundary,
        padded,
        axis,
        scaling,
    )
    # of short signals, which the caller hears of
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return signal.stft(*args)[2]


def added_up(segments: Any, step: int) -> Any:
    """The sum of segments (..., length, count), each some steps after the one before."""
    length, count = segments.shape[-2:]
    total = np.zeros((*segments.shape[:-2], length + (count - 1) * step), segments.dtype)
    for k in range(count):
        total[..., k * step : k * step + length] += segments[..., k]
    return total


def short_time_fourier_adjoint(
    y_bar: Any,
    shape: Any,
    window: Any = WINDOW,
    nperseg: Any = 256,
    noverlap: Any = None,
    boundary: Any = "zeros",
    padded: bool = True,
    axis: int = -1,
    **options: Any,
) -> Any:
    n, axis = shape[axis], axis % len(shape)
    length = min(nperseg or 256, n) if isinstance(window, str | tuple) else len(window)
    step = length - (length // 2 if noverlap is None else noverlap)
    alone = {
        "window": window,
        "nperseg": length,
        "noverlap": length - step,
        "boundary": None,
        "padded": False,
    }
    # its axes are entries and frequencies
    matrix = short_time_fourier(np.eye(length), **alone, **options)[..., 0]
    wide = added_up(
        np.tensordot(np.conj(matrix), np.moveaxis(y_bar, axis, -2), (1, -2)).transpose(
            *_behind(y_bar.ndim)
        ),
        step,
    )
    edge = length // 2 if boundary is not None else 0
    missing = n + 2 * edge - wide.shape[-1]
    widths = [(0, 0)] * (wide.ndim - 1) + [(0, max(missing, 0))]
    wide = np.pad(wide, widths)[..., : n + 2 * edge]
    return np.moveaxis(unextended(wide, n, edge, boundary), -1, axis)


def _behind(ndim: int) -> tuple[int, ...]:
    """The order of axes that moves the first one behind all but the last."""
    return (*range(1, ndim - 1), 0, ndim - 1)


SHORT_TIME = "fs window nperseg noverlap nfft detrend return_onesided boundary padded axis scaling"
linear_pair(short_time_fourier, short_time_fourier_adjoint, SHORT_TIME)


@linearised_rule(signal.stft)
def stft_linearised(
    x: Array,
    *,
    fs: float = 1.0,
    window: Any = WINDOW,
    nperseg: Any = 256,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = False,
    return_onesided: bool = True,
    boundary: Any = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: str = "spectrum",
    out: Any,
) -> LinearMap:
    """Frequencies and times do not move with the signal; that of a complex one has all frequencies."""
    return_onesided = return_onesided and x.dtype.kind != "c"
    options = {
        "fs": fs,
        "window": window,
        "nperseg": nperseg,
        "noverlap": noverlap,
        "nfft": nfft,
        "detrend": detrend,
    }
    options |= {
        "return_onesided": return_onesided,
        "boundary": boundary,
        "padded": padded,
        "axis": axis,
        "scaling": scaling,
    }
    return last_of(3, short_time_fourier, x, options)


def last_of(count: int, function: Any, x: Any, options: dict[str, Any]) -> LinearMap:
    """The map of a linear function whose result is the last of several, the others being constant."""
    shape, dtype = x.shape, x.dtype
    return LinearMap(
        lambda dot: (*(ZERO,) * (count - 1), function(dot, **options)),
        lambda bars: (
            ZERO
            if is_zero(bars[count - 1])
            else transposed(bars[count - 1], function, shape, dtype, options)
        ),
    )


@primitive
def inverse_short_time_fourier(
    x: Any,
    fs: float = 1.0,
    window: Any = WINDOW,
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: str = "spectrum",
) -> Any:
    """The signal that `scipy.signal.istft` returns next to times."""
    args = (
        x,
        fs,
        window,
        nperseg,
        noverlap,
        nfft,
        input_onesided,
        boundary,
        time_axis,
        freq_axis,
        scaling,
    )
    # of windows that lose something, ditto
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return signal.istft(*args)[1]


def inverse_short_time_fourier_adjoint(
    y_bar: Any,
    shape: Any,
    fs: float = 1.0,
    window: Any = WINDOW,
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: str = "spectrum",
) -> Any:
    """Each step of `istft` backwards: norm, segments, window, transform."""
    time_axis, freq_axis = time_axis % len(shape), freq_axis % len(shape)
    frequencies, count = shape[freq_axis], shape[time_axis]
    usual = 2 * (frequencies - 1) if input_onesided else frequencies
    length = usual if nperseg is None else nperseg
    size = nfft or (length if input_onesided and length == usual + 1 else usual)
    step = length - (length // 2 if noverlap is None else noverlap)
    w = np.asarray(signal.get_window(window, length) if isinstance(window, str | tuple) else window)
    norm = added_up(np.tile((w**2)[:, None], count), step)
    rows = np.moveaxis(y_bar, time_axis - (freq_axis < time_axis), -1)
    if boundary:
        rows = np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(length // 2, length // 2)])
    rows = rows / np.where(norm > 1e-10, norm, 1.0)
    segments = np.stack([rows[..., k * step : k * step + length] for k in range(count)], axis=-1)
    segments = (
        segments * (w * (w.sum() if scaling == "spectrum" else np.sqrt(fs * (w**2).sum())))[:, None]
    )
    transform = np.fft.rfft if input_onesided else np.fft.fft
    z_bar = transform(segments, size, axis=-2) / size
    if input_onesided:
        z_bar[..., 1 : (size + 1) // 2, :] *= 2
    missing = frequencies - z_bar.shape[-2]
    z_bar = np.pad(z_bar, [(0, 0)] * (z_bar.ndim - 2) + [(0, max(missing, 0)), (0, 0)])[
        ..., :frequencies, :
    ]
    return np.moveaxis(z_bar, (-2, -1), (freq_axis, time_axis))


INVERSE = "fs window nperseg noverlap nfft input_onesided boundary time_axis freq_axis scaling"
linear_pair(inverse_short_time_fourier, inverse_short_time_fourier_adjoint, INVERSE)


@linearised_rule(signal.istft)
def istft_linearised(
    Zxx: Array,
    *,
    fs: float = 1.0,
    window: Any = WINDOW,
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: str = "spectrum",
    out: Any,
) -> LinearMap:
    options = {
        "fs": fs,
        "window": window,
        "nperseg": nperseg,
        "noverlap": noverlap,
        "nfft": nfft,
        "scaling": scaling,
    }
    options |= {
        "input_onesided": input_onesided,
        "boundary": boundary,
        "time_axis": time_axis,
        "freq_axis": freq_axis,
    }
    return last_of(2, inverse_short_time_fourier, Zxx, options)
