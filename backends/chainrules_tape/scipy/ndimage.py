"""`scipy.ndimage` for code that is differentiated."""

from scipy import ndimage

from chainrules_tape.numpy.namespaces import stand_in

__getattr__, __dir__ = stand_in(ndimage, globals())
