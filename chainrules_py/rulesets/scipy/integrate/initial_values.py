"""Initial value problems, y' = f(t, y, *args).

`solve_ivp`, and what its rules in both modes have in common.
"""

import inspect
from typing import Any

import numpy as np
from scipy import integrate

from chainrules_py.annotations import Function, Options
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import primitive
from chainrules_py.makers.joint import array_of_parts
from chainrules_py.rulesets.formulas.implicit_functions import unconverged
from chainrules_py.rulesets.formulas.known_values import largest_known
from chainrules_py.rulesets.scipy.integrate.events import Watched, watched
from chainrules_py.rulesets.scipy.options import without_rule
from chainrules_py.table.registry import default_rules
from chainrules_py.values.arrays import common_namespace

Slope = Function
EXPLICIT = ("RK23", "RK45", "DOP853")


@primitive
def solve(fun: Slope, t_span, y0, t_eval, args, **options) -> Any:
    """Solve an initial value problem with `solve_ivp`; raise if it stops before the end.

    `fun` is the slope, or `Watched`, with events.
    """
    if isinstance(fun, Watched):
        options = {**options, "events": [event.of_scipy(args) for event in fun.events]}
        fun = fun.slope
    held = {"fun": fun, "args": args, "jac": options.get("jac")}
    if callable(held["jac"]):
        options = {**options, "jac": lambda t, y: held["jac"](t, y, *held["args"])}
    result = integrate.solve_ivp(
        lambda t, y: held["fun"](t, y, *held["args"]), t_span, y0, t_eval=t_eval, **options
    )
    # SciPy's solver is a cycle that the garbage collector finds late, and must not hold an
    # interpolant till then
    held.clear()
    if not result.success:
        raise unconverged(integrate.solve_ivp, result.message)
    return result


def slope(t, y, fun: Slope, args) -> Any:
    """f(t, y, *args), as an array even if f returns a list."""
    return array_of_parts(fun(t, y, *args))


def joined_vectors(parts: list[Any]) -> Any:
    """Vectors one after the other."""
    return common_namespace(parts).concatenate(parts)


def tolerances(options: Options) -> tuple[Any, Any]:
    """The relative and the absolute tolerance, by default SciPy's."""
    return options.get("rtol", 1e-3), options.get("atol", 1e-6)


def largest(*vectors) -> float:
    """The largest entry, or 1 where all are zero: a constant that scales a linear problem."""
    sizes = [np.max(np.abs(ignore_derivatives(v)), initial=0.0) for v in vectors]
    return max(map(largest_known, sizes)) or 1.0


# --- SciPy's function ---


def as_solve(*args, **options) -> tuple[tuple[Any, ...], Options]:
    """The arguments and options of `solve` for a call of `solve_ivp`."""
    given = inspect.signature(integrate.solve_ivp).bind(*args, **options).arguments
    given |= given.pop("options", {})
    if value := given.pop("dense_output", None):
        instead = "pass the times in t_eval"
        raise without_rule(integrate.solve_ivp, "dense_output", value, instead)
    fun, events = given.pop("fun"), given.pop("events", None)
    t_span = given.pop("t_span")
    y0 = array_of_parts(given.pop("y0"))
    t_eval = given.pop("t_eval", None)
    own = given.pop("args", None)
    constants = {name: ignore_derivatives(value) for name, value in given.items()}
    method = constants.get("method")
    if isinstance(method, type):  # SciPy's own ones are known by their names
        name = method.__name__
        constants["method"] = name if getattr(integrate, name, None) is method else method
    times = None if t_eval is None else array_of_parts(t_eval)
    args = () if own is None else tuple(own)
    return (watched(fun, events) if events else fun, tuple(t_span), y0, times, args), constants


default_rules.alias(integrate.solve_ivp, solve, as_solve)
