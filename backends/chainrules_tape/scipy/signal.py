"""`scipy.signal` for code that is differentiated."""

from scipy import signal

from chainrules_tape.numpy.namespaces import stand_in

__getattr__, __dir__ = stand_in(signal, globals())
