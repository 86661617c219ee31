"""`scipy.optimize` for code that is differentiated: the result, by its equation, and not the
iterations.

SciPy's functions to try solvers on ask their arguments for plain arrays; here they are written in
operations that have rules. Functions may take what is differentiated from `args` or from their surroundings. Solvers see plain
numbers.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy import optimize
>>> grad(lambda a: optimize.brentq(lambda x: x * x - a, 0.0, 10.0))(4.0)
0.25
"""

from importlib import import_module
from typing import Any

import numpy as np
from scipy import optimize

from chainrules_tape.gradients import grad
from chainrules_tape.matrices import hessian
from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.numpy.namespaces import closing, stand_in
from chainrules_tape.scipy.objects import floats
from chainrules_tape.transforms import jvp


@by_others(optimize.rosen)
def rosen(x) -> Any:
    """`scipy.optimize.rosen`: the function of Rosenbrock, of the entries along the first axis."""
    x = floats(x)
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2, axis=0)


@by_others(optimize.rosen_der)
def rosen_der(x) -> Any:
    """`scipy.optimize.rosen_der`: the gradient of `rosen`."""
    return grad(lambda x: np.sum(rosen(x)))(floats(x))


@by_others(optimize.rosen_hess_prod)
def rosen_hess_prod(x, p) -> Any:
    """`scipy.optimize.rosen_hess_prod`: the Hessian matrix of `rosen`, times a vector."""
    return jvp(rosen_der, (floats(x),), (floats(p),))[1]


@by_others(optimize.rosen_hess)
def rosen_hess(x) -> Any:
    """`scipy.optimize.rosen_hess`: the Hessian matrix of `rosen`."""
    return hessian(rosen)(floats(x))


import_module("chainrules_py.rulesets.scipy.optimize.minimisation")  # bounds may be traced
__getattr__, __dir__ = stand_in(optimize, globals(), closing)
