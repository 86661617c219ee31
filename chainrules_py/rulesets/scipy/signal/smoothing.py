"""The weights of Savitzky's and Golay's filter, proportional to delta**-deriv."""

from scipy import signal

from chainrules_py.makers.by_source import by_source

by_source(signal.savgol_coeffs)
