"""Functions that are defined by an equation.

The engine differentiates the residual, never the solver.
"""

from typing import Any

from chainrules_py.makers.implicit import ImplicitFunction, solution
from chainrules_py.rules.config import HasForwardsMode, HasReverseMode
from chainrules_py.rulesets.formulas.implicit_functions import (
    implicit_pullback,
    implicit_pushforward,
)
from chainrules_py.table.entry_points import Pullback
from chainrules_py.table.registry import default_rules

rrule, frule = default_rules.rrule, default_rules.frule


def residual_of(x, implicit: ImplicitFunction, *args):
    """The residual as a function of all it depends on: also of what `implicit` captures."""
    return implicit.residual(x, *args)


@rrule.register(solution)
def solution_rrule(
    implicit: ImplicitFunction, *args: object, config: HasReverseMode, **options
) -> tuple[Any, Pullback]:
    """args_bar = -(dF/dargs)^H w, where (dF/dx)^H w = x_bar."""
    x = solution(implicit, *args, **options)
    pullback = implicit_pullback(
        config, residual_of, x, (implicit, *args), implicit.solver, implicit.linear_solver
    )

    return x, pullback


@frule.register(solution)
def solution_frule(
    dots: tuple[Any, ...],
    implicit: ImplicitFunction,
    *args: object,
    config: HasForwardsMode,
    **options,
) -> tuple[Any, Any]:
    """(dF/dx) x_dot = -(dF/dargs) args_dot."""
    x = solution(implicit, *args, **options)
    return x, implicit_pushforward(
        config, residual_of, x, (implicit, *args), dots, implicit.solver, implicit.linear_solver
    )


default_rules.alias(ImplicitFunction.__call__, solution)
