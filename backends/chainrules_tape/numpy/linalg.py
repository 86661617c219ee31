"""`numpy.linalg` for code that is differentiated."""

import numpy

from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.numpy.triangles import cholesky as cholesky
from chainrules_tape.numpy.triangles import eigh as eigh
from chainrules_tape.numpy.triangles import eigvalsh as eigvalsh

__getattr__, __dir__ = stand_in(numpy.linalg, globals())
