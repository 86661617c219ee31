"""`scipy.integrate` for code that is differentiated: integrals, and solutions of differential
equations.

Functions may take what is differentiated from `args` or from their surroundings. SciPy sees plain
numbers.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy import integrate
>>> round(float(grad(lambda a: integrate.quad(lambda x: a * x, 0.0, 2.0)[0])(4.0)), 12)
2.0
"""

from typing import Any

import numpy as np
from scipy import integrate

from chainrules_py.annotations import Options
from chainrules_py.errors import OptionError
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rulesets.formulas.each_example import has_lanes
from chainrules_py.rulesets.formulas.implicit_functions import unconverged
from chainrules_py.rulesets.scipy.integrate.boundary_values import boundary_values
from chainrules_py.rulesets.scipy.interpolate.cubic import hermite_coefficients
from chainrules_py.table.registry import default_rules
from chainrules_py.values.captured_values import closed
from chainrules_py.values.structure import leaves_of
from chainrules_tape.core.levels import call_traced, innermost, open_levels
from chainrules_tape.numpy.namespaces import closing, stand_in
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.scipy.interpolate.piecewise import PPoly
from chainrules_tape.scipy.objects import (
    StandInObject,
    constant,
    floats,
    public_place,
    traced_option_error,
)


class TracedOdeSolution(StandInObject):
    """The solution of an initial value problem as a function of time; it replaces
    `scipy.integrate.OdeSolution`.

    A call solves the problem up to these times: it is differentiated by the times, too, and costs a
    solve.
    """

    made_by = integrate.OdeSolution
    is_traced = False  # the solver's steps are constants

    def __init__(self, plain, problem: tuple[Any, ...], options: Options) -> None:
        self.plain, self.problem, self.options = plain, problem, options

    def __call__(self, t) -> Any:
        """The values at times in any order, one column for each time."""
        if innermost((*self.problem, t, *self.options.values())) is None:
            return self.plain(t)
        fun, t_span, y0 = self.problem
        require_few_orders("t", t)
        times = np.reshape(floats(t), -1)
        forward = 1 if self.plain.ts[-1] >= self.plain.ts[0] else -1
        order = np.argsort(forward * ignore_derivatives(times), kind="stable")
        solved = call_traced(
            integrate.solve_ivp, (fun, t_span, y0), {**self.options, "t_eval": times[order]}
        )
        y = solved.y[:, np.argsort(order)]
        return y if np.ndim(t) else y[:, 0]

    def __reduce__(self) -> Any:
        return TracedOdeSolution, (self.plain, self.problem, self.options)


def require_few_orders(name: str, times) -> None:
    """Raise if times are differentiated more often than the last step is exact for
    (`rulesets.scipy.integrate.moving_times`).
    """
    for x in leaves_of(times):
        order = 0
        while issubclass(type(x), TracedArray):
            order, x = order + getattr(x.level, "order", 1), x.value
        if order > 8:
            where, got = (
                public_place(integrate.solve_ivp),
                f"{name} is differentiated {order} times",
            )
            instead = "differentiate with respect to times at most eight times; more is not exact"
            raise OptionError(
                where, got, instead, primal=integrate.solve_ivp, option=name, value=times
            )


_solve_ivp = closing(integrate.solve_ivp)


def solve_ivp(
    fun,
    t_span,
    y0,
    method: Any = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: Any = None,
    **options,
) -> Any:
    """`scipy.integrate.solve_ivp`, differentiated by initial value, times and parameters."""
    given = {"method": method, "events": events, "vectorized": vectorized, "args": args, **options}
    require_few_orders("t_span", t_span)
    require_few_orders("t_eval", t_eval)
    if not dense_output:
        return _solve_ivp(fun, t_span, y0, t_eval=t_eval, **given)
    problem = closed((fun, t_span, y0))
    given = {name: closed(value) for name, value in given.items()}
    constants = {name: constant(value) for name, value in given.items()}
    plain = integrate.solve_ivp(
        *map(constant, problem), t_eval=constant(t_eval), dense_output=True, **constants
    )
    if not open_levels or plain.sol is None:
        return plain
    solution = TracedOdeSolution(plain.sol, problem, given)
    found = plain
    if innermost((*problem, t_eval, *given.values())) is not None:
        found = call_traced(integrate.solve_ivp, problem, {**given, "t_eval": t_eval})
    return type(found)({**found, "sol": solution})


default_rules.alias(solve_ivp, integrate.solve_ivp)


def solve_bvp(fun, bc, x, y, p: Any = None, **options) -> Any:
    """`scipy.integrate.solve_bvp`, differentiated by what both functions capture, on SciPy's mesh.

    The guesses of values and parameters have no influence. The spline `sol` may be called at
    traced points.
    """
    problem = closed((fun, bc))
    options = {name: value for name, value in options.items() if value is not None}
    if has_lanes(problem):
        instead = "call it for each example: their meshes differ"
        raise traced_option_error(integrate.solve_bvp, "fun", fun, instead)
    guess = {"y": constant(y), "p": constant(p)}
    plain_fun, plain_bc = map(constant, problem)
    plain: Any = integrate.solve_bvp(plain_fun, plain_bc, constant(x), **guess, **options)
    if innermost((x, *problem)) is None:
        return type(plain)({**plain, "sol": PPoly.in_place_of(plain.sol)}) if open_levels else plain
    for name, value in {"x": x, "S": options.get("S")}.items():
        if innermost((value,)) is not None or (name == "S" and value is not None):
            instead = "pass a constant, and write the traced value into the equations"
            raise traced_option_error(integrate.solve_bvp, name, value, instead)
    if not plain.success:
        raise unconverged(integrate.solve_bvp, plain.message)
    x, known = plain.x, np.zeros(0) if plain.p is None else plain.p
    y, p = boundary_values(x, plain.y, known)(*problem)
    slopes = floats(fun(x, y) if plain.p is None else fun(x, y, p))
    of_traced = {"x": x, "y": y, "yp": slopes, "p": None if plain.p is None else p}
    between_knots = hermite_coefficients(x, y.T, slopes.T)
    return type(plain)({**plain, **of_traced, "sol": PPoly.of(between_knots, x, True, 1)})


default_rules.alias(solve_bvp, integrate.solve_bvp)
__getattr__, __dir__ = stand_in(integrate, globals(), closing)
