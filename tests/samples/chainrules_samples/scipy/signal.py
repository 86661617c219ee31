"""Samples of `scipy.signal`: modes and boundaries, states, segments, lengths even and odd."""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_py.rulesets.scipy.signal.convolutions import with_zeros_outside
from chainrules_py.rulesets.scipy.signal.recursive_filters import from_rest
from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for
from chainrules_py.values.identity import takes

CONVOLUTIONS = (signal.convolve, signal.correlate)
ALONG_AXES = (signal.fftconvolve, signal.oaconvolve)
WITH_BOUNDARY = (signal.convolve2d, signal.correlate2d)
SHAPES = (((4,), (3,)), ((2,), (5,)), ((3, 4), (2, 2)))


@samples_for(*CONVOLUTIONS, dtypes=["float64"])
def convolution_samples(draw: Draw) -> Samples:
    """Every mode, lengths even and odd, the first longer and shorter."""
    for mode in ("full", "same", "valid"):
        for a, v in SHAPES:
            yield Sample(draw.any(*a), draw.any(*v), options={"mode": mode})


@samples_for(*CONVOLUTIONS, dtypes=["complex128"])
def method_samples(draw: Draw) -> Samples:
    """Complex arrays, by either method."""
    for method in ("direct", "fft"):
        yield Sample(draw.any(4), draw.any(2), options={"method": method, "mode": "same"})


@samples_for(*ALONG_AXES, dtypes=["complex128"])
def axes_samples(draw: Draw) -> Samples:
    """Along one axis, with the others broadcast."""
    for mode in ("full", "same", "valid"):
        yield Sample(draw.any(2, 3), draw.any(1, 2), options={"mode": mode, "axes": 1})
    yield Sample(draw.any(3, 1), draw.any(2, 2), options={"axes": (0,)})
    yield Sample(draw.any(2), draw.any(4), options={"mode": "same"})


@samples_for(*WITH_BOUNDARY, dtypes=DOUBLE)
def boundary_samples(draw: Draw, primal) -> Samples:
    """Every boundary and mode."""
    for boundary in ("fill", "wrap", "symm"):
        for mode in ("full", "same")[draw.is_complex :]:
            yield Sample(
                draw.any(3, 2),
                draw.any(2, 3),
                options={"mode": mode, "boundary": boundary},
            )
    if not draw.is_complex:
        wrapped, filled = {"mode": "valid", "boundary": "wrap"}, {"mode": "valid", "fillvalue": 0.4}
        yield Sample(draw.any(1, 2), draw.any(3, 2), options=wrapped)
        yield Sample(draw.any(2, 1), draw.any(2, 3), options=filled)
    yield Sample(draw.any(1, 2), draw.any(2, 3), options={"mode": "valid"})


@samples_for(with_zeros_outside, dtypes=DOUBLE)
def zeros_outside_samples(draw: Draw) -> Samples:
    """Every mode."""
    for mode in ("full", "same", "valid"):
        yield Sample(draw.any(3, 2), draw.any(2, 2), options={"mode": mode})


# Filters with memory


@samples_for(from_rest, dtypes=DOUBLE)
def from_rest_samples(draw: Draw) -> Samples:
    """Filters of any two lengths, not normalised; signals in rows, and short ones."""
    a = np.array([1.6, -0.7, 0.2], draw.dtype)
    yield Sample(draw.any(2), a, draw.any(5))
    yield Sample(draw.any(4), a[:2], draw.any(2, 3))


@samples_for(signal.lfilter, dtypes=["float64"])
def lfilter_samples(draw: Draw) -> Samples:
    """Filters of any two lengths, not normalised; initial states; another axis."""
    a = np.array([1.6, -0.7, 0.2], draw.dtype)
    yield Sample(draw.any(2), a, draw.any(5))
    yield Sample(draw.any(4), a[:2], draw.any(4, 2), 0)
    yield Sample(draw.any(3), np.array([1.3], draw.dtype), draw.any(2, 3))
    yield Sample(draw.any(3), a[:2], draw.any(2, 3), 1, draw.any(1, 2))
    yield Sample(draw.any(4), a, draw.any(2), -1, draw.any(3))


@samples_for(signal.lfilter, dtypes=["complex128"])
def complex_lfilter_samples(draw: Draw) -> Samples:
    """Complex coefficients, signals and states."""
    a = np.array([1.6 + 0.3j, -0.7 + 0.2j, 0.2j], draw.dtype)
    yield Sample(draw.any(2), a, draw.any(3), -1, draw.any(2))


def sections() -> Any:
    """Make two stable sections as lists, because SciPy takes no read-only array."""
    return [[0.4, 0.7, -0.2, 1.0, -0.5, 0.2], [0.9, -0.3, 0.6, 1.0, 0.3, -0.1]]


@samples_for(signal.sosfilt, dtypes=["float64"])
def sosfilt_samples(draw: Draw) -> Samples:
    """With and without an initial state; the first coefficients of denominators must be one."""
    yield Sample(sections(), draw.any(4), fixed=[0])
    yield Sample(sections(), draw.any(4, 2), 0, fixed=[0])
    yield Sample(sections(), draw.any(3, 2), 0, draw.any(2, 2, 2), fixed=[0])


@samples_for(signal.filtfilt, dtypes=["float64"])
def filtfilt_samples(draw: Draw) -> Samples:
    """Every way to continue the signal."""
    b, a = np.array([0.3, 0.5]), np.array([1.4, -0.6])
    for padtype in ("odd", "even", "constant", None):
        yield Sample(b, a, draw.any(2, 5), options={"padtype": padtype, "padlen": 3})
    yield Sample(b, a, draw.any(8, 1), options={"axis": 0, "irlen": 2})
    yield Sample(b, a, draw.any(5), options={"method": "gust"})


@samples_for(signal.sosfiltfilt, dtypes=["float64"])
def sosfiltfilt_samples(draw: Draw) -> Samples:
    """Both ends continued; the first coefficients of denominators must be one."""
    options = {"axis": 0, "padtype": "even", "padlen": 2}
    yield Sample(sections(), draw.any(4, 2), options=options, fixed=[0])
    yield Sample(sections(), draw.any(17), fixed=[0])


# Spectra

SEGMENTS: dict[str, Any] = {"nperseg": 4, "window": "hamming"}


@samples_for(signal.stft, dtypes=DOUBLE)
def stft_samples(draw: Draw) -> Samples:
    """Every boundary, overlap, another axis; trends taken away."""
    both = {"return_onesided": not draw.is_complex}
    yield Sample(draw.any(2, 7), options={**SEGMENTS, **both})
    for boundary in ("even", "odd", "constant"):
        yield Sample(
            draw.any(7),
            options={**SEGMENTS, **both, "boundary": boundary, "noverlap": 1},
        )
    options = {
        "window": np.array([0.3, 0.7, 0.9]),
        "nperseg": 3,
        "nfft": 4,
        "axis": 0,
        "scaling": "psd",
        "fs": 2.0,
    }
    options |= {"padded": False, "boundary": None, "detrend": "constant", "return_onesided": False}
    yield Sample(draw.any(6, 2), options=options)


@samples_for(signal.istft, dtypes=["complex128"])
def istft_samples(draw: Draw) -> Samples:
    """One-sided and two-sided transforms, lengths even and odd, other axes."""
    yield Sample(draw.any(3, 3), options={"window": "hamming"})
    yield Sample(
        draw.any(2, 3, 2),
        options={"nperseg": 5, "noverlap": 3, "window": "hamming"},
    )
    options = {
        "window": np.array([0.3, 0.7, 0.9]),
        "nperseg": 3,
        "nfft": 4,
        "time_axis": 0,
        "freq_axis": 1,
        "boundary": False,
    }
    options |= {"input_onesided": False, "scaling": "psd", "fs": 2.0}
    yield Sample(draw.any(3, 4, 2), options=options)


SPECTRA: list[dict[str, Any]] = [
    SEGMENTS,
    {
        "window": np.array([0.3, 0.7, 0.9]),
        "noverlap": 1,
        "nfft": 5,
        "fs": 2.0,
        "detrend": "linear",
        "scaling": "spectrum",
    },
]


@samples_for(signal.csd, dtypes=["float64"])
def csd_samples(draw: Draw) -> Samples:
    """Signals of different lengths, broadcast; other axes."""
    yield Sample(draw.any(7), draw.any(6), options=SPECTRA[0])
    yield Sample(
        draw.any(2, 5),
        draw.any(1, 5),
        options={**SPECTRA[1], "return_onesided": False},
    )
    yield Sample(
        draw.any(5, 1), draw.any(5, 1), options={**SPECTRA[0], "axis": 0, "average": "median"}
    )


@samples_for(signal.csd, signal.welch, dtypes=["complex128"])
def complex_spectrum_samples(draw: Draw, primal) -> Samples:
    """Complex signals."""
    signals = [draw.any(5) for _ in range(1 + (primal is signal.csd))]
    yield Sample(*signals, options={**SEGMENTS, "return_onesided": False})


@samples_for(signal.welch, dtypes=["float64"])
def welch_samples(draw: Draw) -> Samples:
    """Segments that overlap."""
    yield Sample(draw.any(7), options=SPECTRA[0])
    yield Sample(
        draw.any(7, 2),
        options={**SPECTRA[1], "axis": 0, "return_onesided": False, "average": "median"},
    )


@samples_for(signal.coherence, dtypes=["float64"])
def coherence_samples(draw: Draw) -> Samples:
    """Of several segments."""
    options = {
        "nperseg": 3,
        "noverlap": 1,
        "nfft": 4,
        "fs": 2.0,
        "detrend": False,
        "window": "hamming",
    }
    yield Sample(draw.any(5, 1), draw.any(5, 1), options={**options, "axis": 0})


@samples_for(signal.periodogram, dtypes=["float64"])
def periodogram_samples(draw: Draw) -> Samples:
    """The whole, cropped, continued."""
    yield Sample(draw.any(2, 5))
    options = {
        "fs": 2.0,
        "window": "hamming",
        "detrend": "linear",
        "scaling": "spectrum",
        "return_onesided": False,
    }
    yield Sample(draw.any(5, 2), options={**options, "nfft": 4, "axis": 0})
    yield Sample(draw.any(5), options={"nfft": 8})


# Linear functions along an axis

LINEAR: dict[Any, list[dict[str, Any]]] = {
    signal.detrend: [{"type": "constant"}, {"axis": 0, "type": "linear", "bp": [2]}],
    signal.resample: [
        {"num": 3},
        {"num": 4, "axis": 1},
        {"num": 6},
        {"num": 8, "axis": 1, "window": "hamming"},
        {"num": 4, "window": "hann", "t": np.arange(5.0), "domain": "freq"},
    ],
    signal.savgol_filter: [
        {"window_length": 3, "polyorder": 1},
        {"window_length": 3, "polyorder": 2, "deriv": 1, "delta": 0.5, "axis": 0, "mode": "mirror"},
        {"window_length": 3, "polyorder": 1, "mode": "constant", "cval": 0.4},
    ],
    signal.resample_poly: [
        {"up": 3, "down": 2, "padtype": "line"},
        {"up": 2, "down": 3, "axis": 1, "window": np.array([0.3, 0.7, 0.2]), "cval": 0.2},
        {"up": 2, "down": 4, "window": np.array([0.3, 0.7, 0.2, 0.5]), "padtype": "mean"},
    ],
    signal.decimate: [
        {"q": 2, "n": 1, "ftype": "iir", "axis": 1, "zero_phase": False},
        {"q": 2, "n": 2, "ftype": "fir", "axis": 0},
    ],
    signal.czt: [{"m": 3, "axis": 0}, {"w": np.exp(-0.7j), "a": 0.9 + 0.1j}],
    signal.zoom_fft: [
        {"fn": [0.2, 0.7], "m": 3, "axis": 0},
        {"fn": 0.8, "fs": 3.0, "endpoint": True},
    ],
}


@samples_for(*LINEAR, dtypes=DOUBLE)
def linear_samples(draw: Draw, primal) -> Samples:
    """Every option."""
    if draw.is_complex and primal is signal.savgol_filter:
        return
    for options in LINEAR[primal]:
        yield Sample(draw.any(5, 6), options=options)


@samples_for(signal.hilbert, signal.hilbert2, dtypes=["float64"])
def hilbert_samples(draw: Draw, primal) -> Samples:
    """Lengths even and odd, cropped and continued."""
    if primal is signal.hilbert:
        options: list[dict[str, Any]] = [{}, {"axis": 0}, {"N": 3}, {"N": 7}]
    else:
        options = [{}, {"N": (3, 6)}, *([{"axes": (1, 0)}] if takes(primal, "axes") else [])]
    for each in options:
        yield Sample(draw.any(4, 5), options=each)


@samples_for(signal.cspline1d, signal.qspline1d, dtypes=["float64"])
def coefficient_samples(draw: Draw) -> Samples:
    """Coefficients of splines."""
    yield Sample(draw.any(6))
    yield Sample(draw.any(6), options={"lamb": 0.0})


@samples_for(signal.savgol_coeffs, dtypes=["float64"])
def weight_samples(draw: Draw) -> Samples:
    """The value itself, and derivatives of it."""
    yield Sample(5, 3, 0, 0.7)
    yield Sample(5, 3, 1, 0.7, options={"pos": 1})
    yield Sample(5, 3, 2, np.array(1.3), options={"use": "dot"})


@samples_for(signal.firwin, dtypes=["float64"])
def firwin_samples(draw: Draw) -> Samples:
    """Each kind of filter, of one frequency and of several; frequencies that are none."""
    yield Sample(5, np.array(0.3))
    yield Sample(5, 0.3, options={"pass_zero": "highpass", "fs": 4.0})
    yield Sample(4, np.array([0.3, 0.6]), options={"pass_zero": False, "window": "hann"})
    yield Sample(5, np.array([0.3, 0.6, 0.8]), options={"width": 0.2, "pass_zero": False})
    yield Sample(5, np.array([0.3, 0.6]), options={"pass_zero": "bandstop", "scale": False})
    yield Sample(5, np.array([0.6, 0.3]), error=ValueError)
    yield Sample(4, np.array(0.3), options={"pass_zero": False}, error=ValueError)


@samples_for(signal.firls, dtypes=["float64"])
def firls_samples(draw: Draw) -> Samples:
    """Bands apart and side by side, with weights; bands that overlap, and an even length."""
    gains = np.array([1.0, 1.2, 0.3, 0.1])
    yield Sample(5, np.array([0.0, 0.3, 0.5, 1.0]), gains)
    weights = {"weight": np.array([1.0, 3.0]), "fs": 4.0}
    yield Sample(7, np.array([0.1, 0.9, 0.9, 1.9]), gains, options=weights)
    yield Sample(5, np.array([0.0, 0.6, 0.5, 1.0]), gains, error=ValueError)
    yield Sample(4, np.array([0.0, 0.3, 0.5, 1.0]), gains, error=ValueError)


@samples_for(signal.iirnotch, signal.iirpeak, dtypes=["float64"])
def second_order_samples(draw: Draw) -> Samples:
    """Both rates; a frequency that is none."""
    yield Sample(0.3, 20.0)
    yield Sample(np.float64(0.2), np.float64(3.0), 4.0)
    yield Sample(1.7, 3.0, error=ValueError)
