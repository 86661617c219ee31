"""Samples of `scipy.signal`: waveforms, medians, polynomials in the delay, other rates."""

from typing import Any

import numpy as np
from scipy import signal

from chainrules_py import NotDifferentiableError
from chainrules_py.rulesets.scipy.signal.non_differentiable import NAMES
from chainrules_py.rulesets.scipy.signal.resampling import filtered
from chainrules_py.testing.samples import DOUBLE, Draw, Sample, Samples, samples_for
from chainrules_py.values.identity import takes

MEDIANS = (signal.medfilt, signal.medfilt2d, signal.order_filter)


@samples_for(*MEDIANS, dtypes=["float64"])
def median_samples(draw: Draw, primal) -> Samples:
    """Windows of one length and of two."""
    options: tuple[dict[str, Any], ...] = ({}, {"kernel_size": (3, 1)})
    if primal is signal.order_filter:
        options = ({"domain": np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]), "rank": 1},)
    for each in options:
        yield Sample(draw.distinct(3, 4), options=each)


@samples_for(signal.chirp, dtypes=["float64"])
def chirp_samples(draw: Draw) -> Samples:
    """Every way from one frequency to another."""
    for method in ("linear", "quadratic", "logarithmic", "hyperbolic"):
        options = {"f0": 0.3, "t1": 2.0, "f1": 0.8, "method": method, "phi": 20.0}
        yield Sample(draw.positive(3), options=options)
    options = {"f0": 0.3, "t1": 2.0, "f1": 0.8, "method": "quadratic", "vertex_zero": False}
    yield Sample(draw.positive(3), options=options)
    if takes(signal.chirp, "complex"):  # from SciPy 1.16 on
        yield Sample(draw.positive(3), options={**options, "complex": True})


@samples_for(signal.gausspulse, dtypes=["float64"])
def pulse_samples(draw: Draw) -> Samples:
    """Around a frequency."""
    yield Sample(draw.any(3), options={"fc": 0.4, "bw": 0.7, "bwr": -5})


@samples_for(signal.sawtooth, dtypes=["float64"])
def sawtooth_samples(draw: Draw) -> Samples:
    """Both sides of the corner, and a tooth that only rises."""
    yield Sample(np.array([0.3, 1.1, 5.2, -2.0]), np.array([0.4, 0.7, 0.3, 0.2]))
    yield Sample(np.array([0.3, 5.2]))


@samples_for(signal.gauss_spline, dtypes=["float64"])
def gauss_spline_samples(draw: Draw) -> Samples:
    """Of the third order."""
    yield Sample(draw.any(3), 3)


@samples_for(signal.square, dtypes=["float64"])
def square_samples(draw: Draw) -> Samples:
    """Away from the steps."""
    yield Sample(np.array([0.3, 1.1, 5.2]))


@samples_for(signal.freqz, dtypes=DOUBLE)
def freqz_samples(draw: Draw) -> Samples:
    """A number of frequencies, and given ones."""
    a = draw.any(2) * 0.3 + np.array([2.0, 0.0])
    yield Sample(draw.any(3), a, options={"worN": 4, "whole": True, "fs": 3.0})
    yield Sample(draw.any(3), options={"worN": np.array([0.3, 1.2])})
    yield Sample(draw.any(2), a, options={"worN": 3, "include_nyquist": True, "plot": np.multiply})


@samples_for(signal.deconvolve, dtypes=DOUBLE)
def division_samples(draw: Draw) -> Samples:
    """With a remainder, and with nothing else."""
    yield Sample(draw.any(5), np.asarray([1.6, -0.7], draw.dtype))
    yield Sample(draw.any(4), np.asarray([1.6, -0.7, 0.2], draw.dtype))


@samples_for(signal.lfilter_zi, dtypes=["float64"])
def steady_state_samples(draw: Draw) -> Samples:
    """Numerators longer and shorter."""
    yield Sample(draw.any(4), np.array([1.6, -0.7]))
    yield Sample(draw.any(2), np.array([1.6, -0.7, 0.2, 0.1]))


@samples_for(signal.upfirdn, filtered, dtypes=DOUBLE)
def rate_samples(draw: Draw, primal) -> Samples:
    """Faster and slower; inputs that no output sees; a signal that goes on."""
    yield Sample(draw.any(3), draw.any(2, 4), options={"up": 3, "down": 2})
    yield Sample(draw.any(2), draw.any(5, 1), options={"up": 2, "down": 5, "axis": 0})
    if primal is signal.upfirdn:
        for ends in ({"mode": "line"}, {"cval": 0.3}):
            yield Sample(draw.any(3), draw.any(5), options={"down": 2, **ends})


QUERIES: dict[str, tuple[Any, ...]] = {
    "argrelextrema": (np.array([1.0, 3.0, 2.0]), np.greater),
    "find_peaks_cwt": (np.array([1.0, 3.0, 2.0, 1.0, 0.5]), np.array([1.0])),
    "choose_conv_method": (np.ones(3), np.ones(2)),
    "correlation_lags": (3, 2),
    "check_COLA": ("hann", 4, 2),
    "check_NOLA": ("hann", 4, 2),
    "max_len_seq": (3,),
    "unit_impulse": (4,),
}


@samples_for(
    *(getattr(signal, name) for name in NAMES if hasattr(signal, name)), dtypes=["float64"]
)
def query_samples(draw: Draw, primal) -> Samples:
    """Positions of peaks, and counts."""
    yield Sample(*QUERIES.get(primal.__name__, (np.array([1.0, 3.0, 2.0]),)))
    if primal is signal.find_peaks:
        yield Sample(draw.distinct(9), options={"distance": 2, "plateau_size": 1})
        for option in ("height", "threshold", "prominence", "width"):
            yield Sample(draw.distinct(9), options={option: 0.0}, error=NotDifferentiableError)
