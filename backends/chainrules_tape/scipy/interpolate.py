"""`scipy.interpolate` for code that is differentiated."""

from scipy import interpolate

from chainrules_tape.numpy.namespaces import stand_in

__getattr__, __dir__ = stand_in(interpolate, globals())
