"""`scipy.optimize` for code that is differentiated: the result, by its equation, and not the
iterations.

Functions may take what is differentiated from `args` or from their surroundings. Solvers see plain
numbers.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy import optimize
>>> grad(lambda a: optimize.brentq(lambda x: x * x - a, 0.0, 10.0))(4.0)
0.25
"""

from scipy import optimize

from chainrules_tape.numpy.namespaces import closing, stand_in

__getattr__, __dir__ = stand_in(optimize, globals(), closing)
