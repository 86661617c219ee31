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

from chainrules_tape.numpy.conversions import by_others
from chainrules_tape.numpy.namespaces import closing, stand_in
from chainrules_tape.scipy.objects import floats


@by_others(optimize.rosen)
def rosen(x) -> Any:
    """`scipy.optimize.rosen`: the function of Rosenbrock, of the entries along the first axis."""
    x = floats(x)
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2, axis=0)


@by_others(optimize.rosen_der)
def rosen_der(x) -> Any:
    """`scipy.optimize.rosen_der`: the gradient of `rosen`."""
    x = floats(x)
    left, right = x[:-1], x[1:]
    above = right - left**2
    return sums_of_pairs(-400 * left * above - 2 * (1 - left), 200 * above)


@by_others(optimize.rosen_hess_prod)
def rosen_hess_prod(x, p) -> Any:
    """`scipy.optimize.rosen_hess_prod`: the Hessian matrix of `rosen`, times a vector."""
    x, p = floats(x), floats(p)
    left, right, p_left, p_right = x[:-1], x[1:], p[:-1], p[1:]
    on_diagonal = 1200 * left**2 - 400 * right + 2
    return sums_of_pairs(
        on_diagonal * p_left - 400 * left * p_right, 200 * p_right - 400 * left * p_left
    )


@by_others(optimize.rosen_hess)
def rosen_hess(x) -> Any:
    """`scipy.optimize.rosen_hess`: the Hessian matrix of `rosen`, three diagonals."""
    x = floats(x)
    left, right = x[:-1], x[1:]
    diagonal = sums_of_pairs(1200 * left**2 - 400 * right + 2, np.full_like(left, 200.0))
    return np.diag(diagonal) + np.diag(-400 * left, 1) + np.diag(-400 * left, -1)


def sums_of_pairs(of_left, of_right) -> Any:
    """Each entry's part as the left one of a pair and as the right one, added up."""
    none = np.zeros_like(of_left[:1])
    return np.concatenate([of_left, none]) + np.concatenate([none, of_right])


import_module("chainrules_py.rulesets.scipy.optimize.minimisation")  # bounds may be traced
__getattr__, __dir__ = stand_in(optimize, globals(), closing)
