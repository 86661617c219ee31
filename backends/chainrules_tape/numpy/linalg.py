"""`numpy.linalg` for code that is differentiated."""

import numpy

from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.numpy.triangles import TRIANGLES

cholesky = TRIANGLES["cholesky"].mirrored()
eigh = TRIANGLES["eigh"].mirrored()
eigvalsh = TRIANGLES["eigvalsh"].mirrored()
pinv = TRIANGLES["pinv"].mirrored()
svd = TRIANGLES["svd"].mirrored()
__getattr__, __dir__ = stand_in(numpy.linalg, globals())
