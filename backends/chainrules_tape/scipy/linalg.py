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

__getattr__, __dir__ = stand_in(linalg, globals())
