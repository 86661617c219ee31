"""`scipy.linalg` for code that is differentiated.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy import linalg
>>> grad(lambda a: np.sum(linalg.expm(a)))(np.zeros((2, 2)))
array([[1., 1.],
       [1., 1.]])
"""

from typing import Any

from scipy import linalg

from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.numpy.triangles import OneTriangle


def upper_by_default(options: dict[str, Any]) -> bool:
    """Whether the upper triangle is read, as it is unless ``lower=True``."""
    return not options.get("lower", False)


def lower_by_default(options: dict[str, Any]) -> bool:
    """Whether the upper triangle is read, as it is only if ``lower=False``."""
    return not options.get("lower", True)


TRIANGLES = {
    "cholesky": OneTriangle(linalg.cholesky, upper_by_default, "lower"),
    "cho_factor": OneTriangle(linalg.cho_factor, upper_by_default, "lower"),
    "eigh": OneTriangle(linalg.eigh, lower_by_default, "b"),
    "eigvalsh": OneTriangle(linalg.eigvalsh, lower_by_default, "b"),
}
cholesky = TRIANGLES["cholesky"].mirrored()
cho_factor = TRIANGLES["cho_factor"].mirrored()
eigh = TRIANGLES["eigh"].mirrored()
eigvalsh = TRIANGLES["eigvalsh"].mirrored()
__getattr__, __dir__ = stand_in(linalg, globals())
