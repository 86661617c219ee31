"""Boundary value problems, y' = f(x, y, p) with bc(y(a), y(b), p) = 0.

What `solve_bvp` finds are the values on a mesh for which a cubic spline has the slopes that the
equation asks for, at the mesh and in the middle of its intervals (J. Kierzenka, L. Shampine 2001).
These equations are differentiated, on the mesh that the solver ended with, which is a constant.
"""

from typing import Any

import numpy as np
from scipy import integrate

from chainrules_py.makers import primitive
from chainrules_py.makers.joint import array_of_parts
from chainrules_py.rules.config import HasForwardsMode, HasReverseMode
from chainrules_py.rulesets.formulas.coordinates import pair
from chainrules_py.rulesets.formulas.implicit_functions import (
    implicit_pullback,
    implicit_pushforward,
    unconverged,
)
from chainrules_py.table.entry_points import Pullback
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import ZERO, entries, is_zero, with_entries


@primitive
def boundary_values(fun, bc, **options) -> tuple[Any, Any, Any]:
    """The mesh, the values on it, and the unknown parameters, of which there may be none.

    >>> def at_ends(first, last):
    ...     return np.array([first[0] - 1.0])
    >>> x, y, p = boundary_values(lambda x, y: -y, at_ends, x=np.linspace(0, 1, 9), y=np.ones((1, 9)))
    >>> bool(np.isclose(y[0, -1], np.exp(-1.0), atol=1e-4)), p
    (True, array([], dtype=float64))
    """
    found = integrate.solve_bvp(fun, bc, **options)
    if not found.success:
        raise unconverged(integrate.solve_bvp, found.message)
    return found.x, found.y, np.zeros(0) if found.p is None else found.p


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


@default_rules.rrule.register(boundary_values)
def boundary_values_rrule(
    fun, bc, *, config: HasReverseMode, **options
) -> tuple[tuple[Any, Any, Any], Pullback]:
    """The pullback by what both functions capture."""
    x, y, p = boundary_values(fun, bc, **options)
    pull = implicit_pullback(config, residual_on(x), (y, p), (fun, bc), integrate.solve_bvp)

    def boundary_values_pullback(found_bar):
        _, y_bar, p_bar = found_bar
        return pull(ZERO if is_zero(y_bar) and is_zero(p_bar) else pair(y_bar, p_bar))

    return (x, y, p), boundary_values_pullback


@default_rules.frule.register(boundary_values)
def boundary_values_frule(
    dots: tuple[Any, ...], fun, bc, *, config: HasForwardsMode, **options
) -> tuple[tuple[Any, Any, Any], Any]:
    """The tangent by those of what both functions capture."""
    x, y, p = boundary_values(fun, bc, **options)
    unknowns, of = (y, p), integrate.solve_bvp
    dot = implicit_pushforward(config, residual_on(x), unknowns, (fun, bc), dots, of)
    moved = {} if is_zero(dot) else entries(dot)
    y_dot, p_dot = moved.get(0, ZERO), moved.get(1, ZERO)
    return (x, y, p), with_entries(tuple, {0: ZERO, 1: y_dot, 2: p_dot})
