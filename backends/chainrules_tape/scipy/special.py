"""`scipy.special` for code that is differentiated.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy import special
>>> grad(special.logsumexp)(np.zeros(4))
array([0.25, 0.25, 0.25, 0.25])
"""

from scipy import special

from chainrules_tape.numpy.namespaces import stand_in

__getattr__, __dir__ = stand_in(special, globals())
