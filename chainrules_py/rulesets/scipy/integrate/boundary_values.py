"""Boundary value problems, y' = f(x, y, p) with bc(y(a), y(b), p) = 0.

What `solve_bvp` finds are the values on a mesh for which a cubic spline has the slopes that the
equation asks for, at the mesh and in the middle of its intervals (J. Kierzenka, L. Shampine 2001).
These equations are differentiated, on the mesh that the solver ended with, which is a constant.
"""

from functools import wraps
from typing import Any

import numpy as np
from scipy import integrate

from chainrules_py.makers.implicit import ImplicitFunction
from chainrules_py.makers.joint import array_of_parts


def boundary_values(x, y, p) -> ImplicitFunction:
    """The known solution, values on a mesh and any unknown parameters, as a function of slope and
    boundary conditions.
    """

    @wraps(integrate.solve_bvp)  # whose name errors say
    def known(fun, bc) -> tuple[Any, Any]:
        return y, p

    return ImplicitFunction(known, residual_on(x))


def residual_on(x) -> Any:
    """The equations of the values on a mesh and of the parameters, which are `unknowns`."""
    h = np.diff(x)

    def residual(unknowns, fun, bc) -> tuple[Any, Any]:
        y, p = unknowns
        further = (p,) if p.shape[0] else ()
        slopes = array_of_parts(fun(x, y, *further))
        first, last = slopes[:, :-1], slopes[:, 1:]
        middle = (y[:, 1:] + y[:, :-1]) / 2 - (last - first) * (h / 8)
        slopes_there = array_of_parts(fun(x[:-1] + h / 2, middle, *further))
        gaps = y[:, 1:] - y[:, :-1] - (first + last + 4 * slopes_there) * (h / 6)
        return gaps, array_of_parts(bc(y[:, 0], y[:, -1], *further))

    return residual
