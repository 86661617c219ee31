"""`scipy.linalg` for code that is differentiated.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy import linalg
>>> grad(lambda a: np.sum(linalg.expm(a)))(np.zeros((2, 2)))
array([[1., 1.],
       [1., 1.]])
"""

from scipy import linalg

from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.numpy.triangles import of_one_triangle

__getattr__, __dir__ = stand_in(linalg, globals())
cholesky = of_one_triangle(
    linalg.cholesky, lambda options: not options.get("lower", False), "lower"
)
cho_factor = of_one_triangle(
    linalg.cho_factor, lambda options: not options.get("lower", False), "lower"
)
eigh = of_one_triangle(linalg.eigh, lambda options: not options.get("lower", True), "b")
eigvalsh = of_one_triangle(linalg.eigvalsh, lambda options: not options.get("lower", True), "b")
