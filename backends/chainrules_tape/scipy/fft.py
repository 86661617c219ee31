"""`scipy.fft` for code that is differentiated."""

from scipy import fft as scipys

from chainrules_tape.numpy.namespaces import stand_in

__getattr__, __dir__ = stand_in(scipys, globals())
