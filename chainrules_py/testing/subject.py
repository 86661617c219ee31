"""Subjects of checks: the rules of a primal in a table, or an engine.

Both answer the same two questions in the canonical form of the call, so that every check runs on
either:

    reverse(args, needs) -> (y, pullback)          pullback(y_bar) -> one cotangent per argument
    forward(dots, args)  -> (y, y_dot)

Rules are asked for through `resolve` and called bare, without the guard that `rrule` puts around
pullbacks: the kit says more about what came back than the guard could.
"""

from collections.abc import Callable
from typing import Any, Protocol

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.checks.guards import is_held_to_contract
from chainrules_py.rules.rule import Mode, Rule
from chainrules_py.tangents import AbstractZero
from chainrules_py.testing.settings import Settings
from chainrules_py.values.identity import qualified_name

Pullback = Callable[[Any], Any]


class Subject(Protocol):
    """Something that differentiates one primal with fixed options."""

    primal: Any
    options: dict[str, Any]

    @property
    def advice(self) -> str:
        """What to do where it is wrong."""
        ...

    def modes(self, args: Args) -> tuple[Mode, ...]:
        """The modes in which it can differentiate a call."""
        ...

    def reverse(self, args: Args, needs: tuple[bool, ...]) -> tuple[Any, Pullback]:
        """The value and the pullback."""
        ...

    def forward(self, dots: Args, args: Args) -> tuple[Any, Any]:
        """The value and the tangent of the output."""
        ...

    def where(self, mode: Mode, args: Args) -> str:
        """The name and the place of the code that is responsible."""
        ...


class RuleSubject:
    """The rules of one primal in one table."""

    advice = "correct the rule, or the sample if the primal is not differentiable there"

    def __init__(self, primal, options: Options, settings: Settings) -> None:
        self.primal, self.options = primal, options
        self.rules, self.config = settings.rules, settings.config

    def rule(self, mode: Mode, args: Args) -> Rule | None:
        """The rule that fires."""
        return self.rules.rule_for(mode, self.primal, tuple(map(type, args)), self.config)

    def modes(self, args: Args) -> tuple[Mode, ...]:
        """The modes that have a rule of their own for these types."""
        modes: tuple[Mode, ...] = ("forward", "reverse")
        rules = [self.rule(mode, args) for mode in modes]
        return tuple(rule.mode for rule in rules if rule and rule.derived_from is None)

    def reverse(self, args: Args, needs: tuple[bool, ...]) -> tuple[Any, Pullback]:
        """The rrule's answer."""
        rrule = self._function("reverse", args, needs)
        options = self._options("reverse", args)
        return rrule(*args, **options)

    def forward(self, dots: Args, args: Args) -> tuple[Any, Any]:
        """The frule's answer."""
        needs = tuple(not isinstance(dot, AbstractZero) for dot in dots)
        frule = self._function("forward", args, needs)
        options = self._options("forward", args)
        return frule(dots, *args, **options)

    def where(self, mode: Mode, args: Args) -> str:
        """``rrule(numpy.sin)(Array) by sin_rrule at file:line``."""
        rule = self.rule(mode, args)
        if rule is not None:
            return str(rule)
        return f"{'rrule' if mode == 'reverse' else 'frule'}({qualified_name(self.primal)})"

    def _function(self, mode: Mode, args: Args, needs: tuple[bool, ...]) -> Function:
        types, rule = tuple(map(type, args)), self.rule(mode, args)
        if rule is not None and is_held_to_contract(rule):  # the kit says what is wrong by itself
            return self.rules.as_written(rule, self.primal, types, needs)
        return self.rules.resolve(mode, self.primal, types, needs, self.config)

    def _options(self, mode: Mode, args: Args) -> dict[str, Any]:
        rule = self.rule(mode, args)
        if rule is None:
            return self.options
        self.rules.check_options(rule, self.options, self.config)
        return {**self.options, "config": self.config} if "config" in rule.wants else self.options
