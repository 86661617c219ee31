"""`odeint`, which is `solve_ivp` by LSODA.

What is computed by the one is differentiated by the other.
"""

import inspect
from typing import Any

from scipy import integrate

from chainrules_py.annotations import Options
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import primitive
from chainrules_py.makers.joint import array_of_parts
from chainrules_py.rulesets.formulas.programs import differentiated_as
from chainrules_py.rulesets.scipy.integrate.initial_values import solve
from chainrules_py.rulesets.scipy.options import without_rule
from chainrules_py.table.registry import default_rules
from chainrules_py.values.arrays import common_namespace


@primitive
def odeint(func, y0, t, args, **options) -> Any:
    """The solution at times t, a row for each, by LSODA."""
    return integrate.odeint(func, y0, t, args, **options)


REFUSED = frozenset({"full_output", "ixpr", "printmessg"})


def as_odeint(*args, **options) -> tuple[tuple[Any, ...], Options]:
    """Convert a call of SciPy's `odeint` to ours."""
    given = inspect.signature(integrate.odeint).bind(*args, **options).arguments
    func = given.pop("func")
    y0 = array_of_parts(given.pop("y0"))
    t = array_of_parts(given.pop("t"))
    own = given.pop("args", ())
    for name in given.keys() & REFUSED:
        raise without_rule(integrate.odeint, name, given[name], "leave it out")
    start = y0 if getattr(y0, "ndim", 0) else common_namespace([y0]).reshape(y0, (1,))
    return (func, start, t, own if isinstance(own, tuple) else (own,)), {
        name: ignore_derivatives(value) for name, value in given.items()
    }


def solved_by_lsoda(
    func,
    y0,
    t,
    args,
    *,
    tfirst: bool = False,
    rtol: Any = None,
    atol: Any = None,
    **options,
):
    """The result of `odeint`, by `solve_ivp`."""

    def fun(t, y, func, *args):
        return func(t, y, *args) if tfirst else func(y, t, *args)

    tolerances = {
        "rtol": 1.49e-8 if rtol is None else rtol,
        "atol": 1.49e-8 if atol is None else atol,
    }
    return solve(fun, (t[0], t[-1]), y0, t, (func, *args), method="LSODA", **tolerances).y.T


differentiated_as(odeint, solved_by_lsoda)
default_rules.alias(integrate.odeint, odeint, as_odeint)
