"""Rules of functions whose result satisfies an equation.

What is written is the equation, as `defined_by` takes it.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.errors import NotDifferentiableError
from chainrules_py.makers import primitive
from chainrules_py.rules.config import (
    HasForwardsMode,
    HasReverseMode,
    RuleConfig,
    frule_via_ad,
    rrule_via_ad,
)
from chainrules_py.rules.rule import MODES, Rule
from chainrules_py.rulesets.formulas.each_example import pullback_or_each, tangent_or_each
from chainrules_py.rulesets.formulas.implicit_functions import (
    implicit_pullback,
    implicit_pushforward,
    unconverged,
)
from chainrules_py.rulesets.formulas.known_values import greatest_known
from chainrules_py.table.entry_points import Pullback
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import ZERO, is_zero, not_implemented, with_entries
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.identity import location, qualified_name
from chainrules_py.values.structure import fields

Equation = Function
BY_PARAMETERS = "only the solution and its value have derivatives, not other parts of the result"


# what makes another result, or leaves convergence to the caller
REFUSED = frozenset({"full_output", "disp", "retall"})


def defined_by(
    *primals,
    key: Any = None,
    values: Mapping[Any, Equation] | None = None,
    jacobian: Equation | None = None,
    run: Function | None = None,
) -> Callable[[Equation], Equation]:
    """Decorator: declare rules of a function whose solution x satisfies ``equation(x, ...) = 0``.

    Decorates the equation.

    It takes those arguments of the function that it needs, by name; options that it needs, and the
    engine as `config`, are keyword-only. The solution is what the function returns, or its field
    `key`. `values` has further fields that are functions of the solution, written as the equation
    is. So is `jacobian`: the derivative by x that the caller gave, or None. `run` calls the primal,
    where its result is not taken as it is.
    """

    def register(equation: Equation) -> Equation:
        for primal in primals:
            default_rules.declare(
                primal,
                partial(
                    rules_of, Definition(primal, equation, key, dict(values or {}), jacobian, run)
                ),
            )
        return equation

    return register


def rules_of(definition: "Definition") -> Iterator[Rule]:
    """Declare two rules for each possible number of positional arguments."""
    names, required = definition.names, definition.required
    any_others = inspect.Parameter.VAR_KEYWORD in [p.kind for p in definition.parameters.values()]
    options = None if any_others else frozenset(definition.parameters) - set(names) - REFUSED
    for count in range(required, len(names) + 1):
        made = (definition.rrule(), definition.frule())
        for mode, config, function in zip(
            MODES, (HasReverseMode, HasForwardsMode), made, strict=True
        ):
            yield Rule(
                mode,
                definition.primal,
                (object,) * count,
                function,
                names=names[:count],
                config=config,
                wants=frozenset({"config"}),
                options=options,
                where=location(definition.equation),
            )


class Definition:
    """A function, the equation of its solution, and the place of the solution in its result."""

    def __init__(
        self,
        primal,
        equation: Equation,
        key,
        values: dict[Any, Equation],
        jacobian: Equation | None = None,
        run: Function | None = None,
    ) -> None:
        self.primal = primal
        self.equation = equation
        self.key = key
        self.values = values
        self.jacobian = jacobian
        self.run = run or primitive(primal)
        self.parameters = inspect.signature(primal).parameters
        known = list(self.parameters)
        count = 1 + max(
            known.index(name)
            for name in list(inspect.signature(equation).parameters)[1:]
            if name in known and self.parameters[name].kind is not inspect.Parameter.KEYWORD_ONLY
        )
        self.names = tuple(known[:count])
        self.required = sum(
            self.parameters[name].default is inspect.Parameter.empty for name in self.names
        )

    def solve(self, args: Args, options: Options) -> tuple[Any, Any]:
        """Call the function; returns its result, and the solution in it.

        Raises where the solver says that it found none.
        """
        for name in REFUSED.intersection(options):
            where = f"{qualified_name(self.primal)}: {name}"
            instead = "leave it out inside a derivative"
            raise NotDifferentiableError(
                where,
                "the option changes what is returned",
                instead,
                primal=self.primal,
                argument=name,
            )
        y = self.run(*args, **options)
        if self.key is None:
            return y, y
        parts = fields(y)
        has_solved = parts.get("success", parts.get("converged", True))
        if type(has_solved) not in (bool, int, np.bool_):  # of many examples
            has_solved = not greatest_known(np.logical_not(has_solved))
        if not has_solved:
            raise unconverged(self.primal, str(parts.get("message", parts.get("flag"))))
        return y, parts[self.key]

    def residual(self, config: RuleConfig, options: Options, equation: Equation) -> Equation:
        """An equation as a function of the solution and the arguments by position."""
        wanted = names_wanted(equation)
        given = {
            name: value for name, value in {**options, "config": config}.items() if name in wanted
        }

        def residual(x, *args) -> Any:
            named = {
                name: arg for name, arg in zip(self.names, args, strict=False) if name in wanted
            }
            return equation(x, **named, **given)

        return residual

    def given_jacobian(self, config: RuleConfig, options: Options) -> Equation | None:
        """The caller's own derivative of the equation as a function of the solution and the
        arguments by position.
        """
        return None if self.jacobian is None else self.residual(config, options, self.jacobian)

    def rrule(self) -> Function:
        """The reverse rule, for one number of arguments."""

        def equation_rrule(*args, config, **options) -> tuple[Any, Pullback]:
            y, x = self.solve(args, options)

            def pullback_at(x, *args):
                residual = self.residual(config, options, self.equation)
                given = self.given_jacobian(config, options)
                pull = implicit_pullback(config, residual, x, args, self.primal, jacobian=given)
                return lambda x_bar: (ZERO, *pull(x_bar))

            pullback = pullback_or_each(pullback_at, x, *args)

            def equation_pullback(y_bar) -> tuple[Any, ...]:
                x_bar, bars = self.seeds(config, y_bar, y, x, args, options)
                return tuple(
                    [direct + bar for direct, bar in zip(bars, pullback(x_bar)[1:], strict=True)]
                )

            return y, equation_pullback

        return equation_rrule

    def seeds(self, config, y_bar, y, x, args, options) -> tuple[Any, list[Any]]:
        """The cotangents of the solution, and of the arguments through values computed from it."""
        own = {None: y_bar} if self.key is None else dict(tangents_of_parts(y_bar, fields(y)))
        x_bar, bars = own.pop(self.key, ZERO), [ZERO] * len(args)
        for key, value in self.values.items():
            if not is_zero(bar := own.pop(key, ZERO)):

                def pullback_at(*at, value=value):
                    return rrule_via_ad(config, self.residual(config, options, value), *at)[1]

                by_x, *by_args = pullback_or_each(pullback_at, x, *args)(bar)
                x_bar = x_bar + by_x
                bars = [one + other for one, other in zip(bars, by_args, strict=True)]
        for key, bar in own.items():
            if not is_zero(bar):
                where = f"{qualified_name(self.primal)}: {key!r}"
                raise NotDifferentiableError(
                    where, BY_PARAMETERS, "use the solution", primal=self.primal, argument=key
                )
        return x_bar, bars

    def frule(self) -> Function:
        """The forward rule, for one number of arguments."""

        def equation_frule(dots: tuple[Any, ...], *args, config, **options) -> tuple[Any, Any]:
            y, x = self.solve(args, options)

            def solution_dot(dots, x, *args):
                residual = self.residual(config, options, self.equation)
                given = self.given_jacobian(config, options)
                return implicit_pushforward(
                    config, residual, x, args, dots[1:], self.primal, jacobian=given
                )

            def value_dot(moved, x, *args, value):
                return frule_via_ad(config, moved, self.residual(config, options, value), x, *args)[
                    1
                ]

            x_dot = tangent_or_each(solution_dot, x, (ZERO, *dots), x, *args)
            if self.key is None:
                return y, x_dot
            y_dots = {
                key: not_implemented(BY_PARAMETERS)
                for key, part in fields(y).items()
                if isinstance(part, float) or hasattr(part, "shape")
            }
            for key, value in self.values.items():
                dot = partial(value_dot, value=value)
                y_dots[key] = tangent_or_each(dot, fields(y)[key], (x_dot, *dots), x, *args)
            return y, with_entries(type(y), {**y_dots, self.key: x_dot})

        return equation_frule


@cache
def names_wanted(equation: Equation) -> tuple[str, ...]:
    """The arguments that an equation takes after the solution."""
    return tuple(inspect.signature(equation).parameters)[1:]


def called(function, x, args) -> Any:
    """Call the caller's function; like SciPy, take a single further argument as a tuple of one."""
    return function(x, *(args if isinstance(args, tuple) else (args,)))
