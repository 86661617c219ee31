"""A solution with the steps that the solver took, from which its derivative is taken."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rulesets.scipy.integrate.collocation import TOGETHER, steps_along
from chainrules_py.rulesets.scipy.integrate.explicit_methods import method_of
from chainrules_py.rulesets.scipy.integrate.initial_values import Options, slope, solve
from chainrules_py.rulesets.scipy.integrate.runge_kutta import stepping
from chainrules_py.rulesets.scipy.integrate.steps_at_once import OwnSteps, Steps

CLOSER = 8


@dataclass(frozen=True, eq=False)
class Taken:
    """A solution: of an explicit method the nodes, values and slopes, of others the curve."""

    result: Any
    options: Options
    nodes: Any = None
    values: Any = None
    slopes: Any = None
    curve: Any = None

    def steps(self, times, fun, args) -> Steps | None:
        """The steps for derivatives at some times that are taken at once; None where there are none."""
        solver = self.options.get("method", "RK45")
        if self.slopes is not None and len(self.slopes):
            method: Any = method_of(solver)
            is_read = not np.isin(times, self.nodes).all()
            return OwnSteps(method, self.nodes, self.values, self.slopes, fun, args, is_read)
        if self.curve is None or solver not in TOGETHER or self.curve.ts.size < 2:
            return None
        return steps_along(self.curve, times, TOGETHER[solver], plain_slope(fun, args))


def plain_slope(fun, args) -> Callable[[float, Any], Any]:
    """The slope as a function of numbers."""

    def slope_at(t: float, y):
        return np.broadcast_to(ignore_derivatives(slope(t, y, fun, args)), y.shape)

    return slope_at


def closer(options: Options) -> Options:
    """The options of a solution that is closer than another one, on whose steps its derivative is
    as exact as the other is.
    """
    own = {"rtol": 1e-3, "atol": 1e-6, **options}
    finest = {"rtol": 100 * np.finfo(float).eps, "atol": 0.0}
    return {
        **own,
        **{name: np.maximum(np.divide(own[name], CLOSER), least) for name, least in finest.items()},
    }


def taken(fun, t_span, y0, t_eval, args, options: Options) -> Taken:
    """Solve a problem, and keep the steps."""
    method: Any = method_of(options.get("method", "RK45"))
    if method is None:
        result = solve(fun, t_span, y0, t_eval, args, **{**options, "dense_output": True})
        curve, result.sol = result.sol, None
        return Taken(result, options, curve=curve)
    steps: list[tuple[Any, ...]] = []
    own = {**options, "method": stepping(method.solver), "steps": steps}
    result = solve(fun, t_span, y0, t_eval, args, **own)
    nodes, values, slopes = zip(*steps, strict=True)
    steps.clear()  # the solver, a cycle that is found late, has it
    known = None if slopes[-1] is None else np.array(slopes[1:])
    return Taken(result, options, np.array(nodes), np.array(values), known)
