"""`numpy.linalg` for code that is differentiated."""

import numpy

from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.numpy.triangles import TRIANGLES

globals().update({name: one.mirrored() for name, one in TRIANGLES.items()})
__getattr__, __dir__ = stand_in(numpy.linalg, globals())
