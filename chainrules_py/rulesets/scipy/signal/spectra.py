"""Averages over segments of products of short-time Fourier transforms, by SciPy's own source."""

from scipy import signal

from chainrules_py.makers.by_source import by_source

by_source(signal.csd, signal.coherence, arguments=2)
by_source(signal.welch, signal.periodogram, arguments=1)
