"""The rules of `solve_ivp`: tangents go along a solution, and cotangents back.

    s' = f_y s + f_args args_dot,  from s(t0) = y0_dot
    a' = -f_y^H a,  q' = -f_args^H a,  back from t1; at each time with a cotangent, a jumps by it
    y0_bar = a(t0),  args_bar = q(t0)

With few unknowns both are linear problems on steps that are known already (`steps_at_once`); others
are problems for the same solver (`problems_beside`). Both need the values between the times that
were asked for: they are those of the solver's interpolant, or, where they are differentiated
themselves, another solution. Times that move are for `moving_times`. Many examples are
differentiated one after the other: each has its own steps.
"""

from typing import Any

import numpy as np

from chainrules_py.annotations import Options
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.projection import ProjectTo
from chainrules_py.rules.config import HasForwardsMode, HasReverseMode, RuleConfig, frule_via_ad
from chainrules_py.rulesets.formulas.coordinates import Coordinates
from chainrules_py.rulesets.formulas.each_example import (
    has_lanes,
    pullback_of_each,
    tangent_of_each,
)
from chainrules_py.rulesets.formulas.programs import rrule_of_needed
from chainrules_py.rulesets.scipy.integrate.collocation import steps_along
from chainrules_py.rulesets.scipy.integrate.events import Watched
from chainrules_py.rulesets.scipy.integrate.initial_values import (
    EXPLICIT,
    solve,
    tolerances,
)
from chainrules_py.rulesets.scipy.integrate.moving_times import program_frule, program_rrule
from chainrules_py.rulesets.scipy.integrate.problems_beside import (
    adjoint_beside,
    tangents_beside,
)
from chainrules_py.rulesets.scipy.integrate.steps_at_once import at_once
from chainrules_py.table.entry_points import Pullback
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import NO_TANGENT, ZERO, is_zero, materialize, with_entries
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.captured_values import frozen
from chainrules_py.values.structure import fields

CLOSER = 8


@default_rules.rrule.register(solve)
def solve_rrule(
    *given, config: HasReverseMode, needs: tuple[bool, ...], **options
) -> tuple[Any, Pullback]:
    """Take cotangents back along the solution."""
    if needs[1] or needs[3] or is_program(config, given):
        return program_rrule(config, given, needs, options)
    if has_lanes(given):
        result = solve(*given, **options)

        def pullback_at(*given) -> Pullback:
            return rrule_of_needed(config, values, given, needs, **options)[1]

        pull = pullback_of_each(pullback_at, *given)
    else:
        solution = Solution(config, given, options).frozen()
        result, pull = solution.result, solution.pullback

    def solve_pullback(result_bar) -> tuple[Any, ...]:
        y_bar = tangents_of_parts(result_bar, fields(result)).get("y", ZERO)
        return pull(materialize(y_bar, like=result.y))

    return result, solve_pullback


@default_rules.frule.register(solve)
def solve_frule(
    dots: tuple[Any, ...], *given, config: HasForwardsMode, **options
) -> tuple[Any, Any]:
    """Take tangents along the solution."""
    of_times = *tangents_of_parts(dots[1], (0, 1)).values(), dots[3]
    if is_program(config, given) or not all(map(is_zero, of_times)):
        return program_frule(config, dots, given, options)
    if has_lanes(given):
        result = solve(*given, **options)

        def tangent_at(dots, *given) -> Any:
            own = dots[0], ZERO, dots[2], ZERO, dots[4]
            return frule_via_ad(config, own, values, *given, **options)[1]

        y_dot = tangent_of_each(tangent_at, result.y, dots, *given)
    else:
        solution = Solution(config, given, options)
        result, y_dot = solution.result, solution.tangent(dots)
    return result, with_entries(type(result), {"y": y_dot})


def is_program(config: RuleConfig, given: tuple[Any, ...]) -> bool:
    """Whether a solution has events, or times that are differentiated."""
    times = given[1], given[3]
    return isinstance(given[0], Watched) or (config.is_active(times) and not has_lanes(given))


def values(*given, **options) -> Any:
    """The values of a solution."""
    return solve(*given, **options).y


class Solution:
    """The solution of a problem whose times are constants, and its derivative."""

    def __init__(self, config: RuleConfig, given: tuple[Any, ...], options: Options) -> None:
        fun, t_span, y0, t_eval, args = given
        self.config, self.interpolant = config, None
        if config.is_active((fun, y0, args)):
            plain = ignore_derivatives((fun, t_span, y0, None, args))
            self.ends = solve(*plain, **options).t
            wanted = self.ends if t_eval is None else t_eval
            result = solve(fun, t_span, y0, wanted, args, **options)
            self.result = type(result)({**result, "t": wanted})
        else:
            self.result = solve(*given, **{**options, "dense_output": True})
            self.ends, self.interpolant = self.result.sol.ts, self.result.sol
            self.result.sol = None
        self.times, self.t_span = ignore_derivatives(self.result.t), t_span
        self.fun, self.y0, self.args, self.options = fun, y0, args, options

    def frozen(self) -> "Solution":
        """Copy what functions capture, for a derivative that is computed later."""
        own = self.fun, self.y0, self.args, self.options
        self.fun, self.y0, self.args, self.options = frozen(own)
        return self

    def values_at(self, times) -> Any:
        """The values at some times, a row for each."""
        if self.interpolant is not None:
            return self.interpolant(times).T
        forward = 1 if self.ends[-1] >= self.ends[0] else -1  # times that fall are sorted negated
        within = np.clip(times, *np.sort(self.ends[[0, -1]]))
        every, back = np.unique(forward * within, return_inverse=True)
        given = self.fun, self.t_span, self.y0, forward * every, self.args
        return solve(*given, **self.options).y.T[back]

    def steps(self, back: bool) -> Any:
        """The steps of the linear problem for the derivative; None if nothing is read after the
        start.

        They are those of a closer solution, on whose interpolant a derivative is as exact as this
        one is; back, implicit methods are exact enough, and take too long for that.
        """
        curve, solver = self, self.options.get("method", "RK45")
        if not back or solver in EXPLICIT:
            given = self.fun, self.t_span, self.y0, None, self.args
            curve = Solution(self.config, given, closer(self.options))
        size = self.y0.shape[0]
        return steps_along(curve.ends, size, curve.values_at, self.times, solver)

    def pullback(self, y_bar) -> tuple[Any, ...]:
        """The cotangents of all arguments, from those of the values."""
        found = at_once(self, y_bar, back=True)
        a, fun_bar, args_bar = adjoint_beside(self, y_bar) if found is None else found
        y0_bar = ProjectTo(self.y0)(a) if Coordinates(self.y0).size else NO_TANGENT
        return fun_bar, NO_TANGENT, y0_bar, NO_TANGENT, args_bar

    def tangent(self, dots: tuple[Any, ...]) -> Any:
        """The tangent of the values, from those of all arguments."""
        fun_dot, _, y0_dot, _, args_dot = dots
        own = y0_dot, fun_dot, args_dot
        if all(map(is_zero, own)):
            return ZERO
        found = at_once(self, own, back=False)
        return tangents_beside(self, own) if found is None else found


def closer(options: Options) -> Options:
    """The options for a more exact solution."""
    rtol, atol = [np.divide(each, CLOSER) for each in tolerances(options)]
    return {**options, "rtol": np.maximum(rtol, 100 * np.finfo(float).eps), "atol": atol}
