"""scipy.signal: the kit over every function."""

import importlib

import numpy as np
import pytest

from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_all
from chainrules_tape import grad

signal = pytest.importorskip("scipy.signal")
load_shipped()
samples = importlib.import_module("chainrules_py.testing.samples.scipy.signal")
waveforms = importlib.import_module("chainrules_py.testing.samples.scipy.signal_waveforms")
traced = importlib.import_module("chainrules_tape.scipy.signal")


FILTERS = [signal.lfilter, signal.sosfilt, signal.filtfilt, signal.sosfiltfilt]
SPECTRA = [signal.stft, signal.istft, signal.csd, signal.welch, signal.periodogram, signal.coherence]
SHORT_TIME = [samples.short_time_fourier, samples.inverse_short_time_fourier]
LINEAR = [*samples.LINEAR, signal.hilbert, signal.hilbert2, signal.cspline1d, signal.qspline1d]


OTHERS = [*waveforms.MEDIANS, *waveforms.WAVES, *waveforms.POLYNOMIALS]
QUERIES = [getattr(signal, name) for name in waveforms.NAMES if hasattr(signal, name)]
PRIMALS = [*samples.CONVOLUTIONS, *samples.ALONG_AXES, *samples.WITH_BOUNDARY, *FILTERS, *SPECTRA, *SHORT_TIME, *LINEAR]


@parametrize_all([*PRIMALS, *OTHERS, *QUERIES])
def test_rules(case):
    case.run()
