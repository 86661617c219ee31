"""`scipy.integrate` for code that is differentiated: integrals, and solutions of differential equations.

Functions may take what is differentiated from `args` or from their surroundings. SciPy sees plain numbers.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy import integrate
>>> round(float(grad(lambda a: integrate.quad(lambda x: a * x, 0.0, 2.0)[0])(4.0)), 12)
2.0
"""

from scipy import integrate

from chainrules_tape.numpy.namespaces import closing, stand_in

__getattr__, __dir__ = stand_in(integrate, globals(), closing)
