"""`numpy.polynomial` for code that is differentiated."""

import numpy

from chainrules_tape.numpy.namespaces import stand_in

__getattr__, __dir__ = stand_in(numpy.polynomial, globals())
