"""`scipy.linalg` for code that is differentiated.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy import linalg
>>> grad(lambda a: np.sum(linalg.expm(a)))(np.zeros((2, 2)))
array([[1., 1.],
       [1., 1.]])
"""

from scipy import linalg

from chainrules_py.annotations import Options
from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.numpy.triangles import OneTriangle


def upper_by_default(options: Options) -> bool:
    """Whether the upper triangle is read, as it is unless ``lower=True``."""
    return not options.get("lower", False)


def lower_by_default(options: Options) -> bool:
    """Whether the upper triangle is read, as it is only if ``lower=False``."""
    return not options.get("lower", True)


def of_structure(options: Options) -> bool | None:
    """Whether the upper triangle is read of a matrix of this structure, or None for all entries."""
    return upper_by_default(options) if options.get("assume_a") in ONE_TRIANGLE else None


def is_hermitian(options: Options) -> bool:
    """Whether the structure that is assumed is Hermitian, and not symmetric."""
    return options.get("assume_a") not in ("sym", "symmetric")


ONE_TRIANGLE = ("sym", "symmetric", "her", "hermitian", "pos", "positive definite")
SOLVE = ("b", "lower", "overwrite_a", "overwrite_b", "check_finite", "assume_a")
TRIANGLES = {
    "cholesky": OneTriangle(linalg.cholesky, upper_by_default, ("lower",)),
    "cho_factor": OneTriangle(linalg.cho_factor, upper_by_default, ("lower",)),
    "eigh": OneTriangle(linalg.eigh, lower_by_default, ("b",), pair=True),
    "eigvalsh": OneTriangle(linalg.eigvalsh, lower_by_default, ("b",), pair=True),
    "inv": OneTriangle(linalg.inv, of_structure, (), is_conjugate=is_hermitian),
    "pinvh": OneTriangle(linalg.pinvh, lower_by_default, ("atol", "rtol", "lower")),
    "solve": OneTriangle(linalg.solve, of_structure, SOLVE, is_conjugate=is_hermitian),
}
globals().update({name: one.mirrored() for name, one in TRIANGLES.items()})
__getattr__, __dir__ = stand_in(linalg, globals())
