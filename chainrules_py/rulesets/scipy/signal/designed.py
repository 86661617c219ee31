"""Filters that are designed from frequencies and gains, by SciPy's own source."""

from scipy import signal

from chainrules_py.makers.by_source import by_source

by_source(signal.firwin, signal.firls, arguments=3)
by_source(signal.iirnotch, signal.iirpeak)
