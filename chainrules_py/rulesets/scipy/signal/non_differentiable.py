"""Functions of `scipy.signal` that have no derivative: positions, counts, sequences of bits."""

from scipy import signal

from chainrules_py.makers import non_differentiable
from chainrules_py.values.identity import existing

PEAKS = ("argrelextrema", "argrelmax", "argrelmin", "find_peaks", "find_peaks_cwt")
COUNTS = (
    "choose_conv_method",
    "correlation_lags",
    "check_COLA",
    "check_NOLA",
    "max_len_seq",
    "unit_impulse",
)
NAMES = (*PEAKS, *COUNTS)
non_differentiable(*existing(signal, *NAMES))
