"""Find how a derivative is computed: traced, where the rule's body runs on JAX's tracers, or
opaque, by NumPy in a callback.

It is found by a trial on abstract values, in which nothing is computed, and cached until a rule is
registered. A pushforward that JAX can transpose is written into the program as it is, so that JAX
stores what both passes need. One that it cannot transpose, such as a product in which zero wins
over infinity, or whose rule JAX cannot trace, becomes a `Push` whose transpose is a `Pull`.
"""

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any

import jax
import jax.numpy as jnp

from chainrules_jax.derivatives import Linear, Push
from chainrules_jax.operations import Value, given_to_active, of_active
from chainrules_jax.results import attempt
from chainrules_jax.tangents import as_tangent, in_declared_dtype, transposed_convention
from chainrules_py import (
    ChainRulesError,
    HasForwardsMode,
    HasReverseMode,
    NotImplementedTangentError,
    RuleTable,
    rules_of,
)
from chainrules_py.engines import Mode

Arrays = Sequence[Any]
ENGINE = "chainrules_jax"
MODES: dict[str, Mode] = {"frule": "forward", "rrule": "reverse"}


class Traced(HasReverseMode, HasForwardsMode):
    """A function with rules is differentiated by them, on JAX's arrays."""

    def __init__(self, table: RuleTable) -> None:
        self.table = table

    def rrule_via_ad(
        self, function: Callable[..., Any], *args, **options
    ) -> tuple[Any, Callable[..., Any]]:
        """The value of a function that has a rule, and its pullback."""
        return self.table.rrule(function, *args, **options)

    def frule_via_ad(
        self, dots: tuple[Any, ...], function: Callable[..., Any], *args, **options
    ) -> tuple[Any, Any]:
        """The value of a function that has a rule, and its derivative."""
        return self.table.frule(dots, function, *args, **options)


traced = cache(Traced)  # configs are keys of the table's memory: one for each table


class Derivative:
    """The derivative of a call by the arguments that are active, as functions that JAX traces."""

    def __init__(self, value: Value, active: tuple[bool, ...]) -> None:
        self.value, self.active, self.push_op = value, active, Push(value, active)
        self.config = traced(value.table)
        self.reasons: dict[str, str] = {}

    @cached_property
    def inline(self) -> Callable[[Arrays, Arrays], tuple[list[Any], list[Any]]] | None:
        """The function from arguments and tangents to values and tangents; None unless it is made of
        operations that JAX can transpose.
        """
        for name, push in (("frule", self._by_frule), ("rrule", self._by_rrule)):
            if self._rule(name) and self._is_transposable(name, push):
                return push
        return None

    @cached_property
    def push(self) -> Callable[[Arrays, Arrays], list[Any]] | None:
        """The function from arguments and tangents to tangents of the floating outputs; None where
        JAX cannot trace it.
        """
        for name, push in (("frule", self._by_frule), ("rrule", self._by_rrule)):
            if self._rule(name) and self._is_traced(name, push, self.push_op):
                return lambda xs, dots, push=push: push(xs, dots)[1]  # type: ignore[misc]
        return None

    @cached_property
    def pull(self) -> Callable[[Arrays, Arrays], list[Any]] | None:
        """The function from arguments and cotangents, in JAX's convention, to the cotangents of the
        active arguments; None where JAX cannot trace it.
        """
        pull_op = self.push_op.transposed()
        if self._rule("rrule") and self._is_traced("pullback", self._pulled, pull_op):
            return self._pulled
        inline = self.inline
        return None if inline is None else lambda xs, bars: self._transposed(inline, xs, bars)

    def _by_frule(self, xs: Arrays, dots: Arrays) -> tuple[list[Any], list[Any]]:
        with rules_of(self.value.table):
            y, found = self.value.flat.frule(xs, given_to_active(dots, self.active), self.config)
        return self._fitted(y.leaves), self._floating(found)

    def _by_rrule(self, xs: Arrays, dots: Arrays) -> tuple[list[Any], list[Any]]:
        with rules_of(self.value.table):
            y, pull = self.value.flat.rrule(xs, self.active, self.config)
            transpose = jax.linear_transpose(
                lambda *bars: self._pull_all(pull, bars), *self.push_op.codirections
            )
            return self._fitted(y.leaves), list(transpose(list(dots)))

    def _pulled(self, xs: Arrays, bars: Arrays) -> list[Any]:
        with rules_of(self.value.table):
            _, pull = self.value.flat.rrule(xs, self.active, self.config)
            return self._pull_all(pull, bars)

    def _pull_all(self, pull: Callable[..., Any], bars: Arrays) -> list[Any]:
        found = transposed_convention(pull)(given_to_active(bars, self.value.floating))
        return list(map(as_tangent, of_active(found, self.active), self.push_op.directions))

    def _transposed(self, push: Callable[..., Any], xs: Arrays, bars: Arrays) -> list[Any]:
        directions = self.push_op.directions
        transpose = jax.linear_transpose(lambda *dots: push(xs, dots)[1], *directions)
        return list(transpose(list(bars)))

    def _fitted(self, leaves: Arrays) -> list[Any]:
        return list(map(in_declared_dtype, leaves, self.value.outs))

    def _floating(self, tangents: Arrays) -> list[Any]:
        floating = of_active(tangents, self.value.floating)
        return list(map(as_tangent, floating, self.push_op.codirections))

    def explain(self) -> list[str]:
        """How each mode is computed, and by which rules, or why they refuse the call."""
        try:
            lines = self._explain_modes()
        except ChainRulesError as error:
            lines = [f"  derivative: {error}"]
        rules = {name: self._rule(name) for name in MODES}
        return [*lines, *(f"  {name} at {rule.where}" for name, rule in rules.items() if rule)]

    def _explain_modes(self) -> list[str]:
        inline = self.inline is not None
        is_traced = {
            "forward": inline or self.push is not None,
            "reverse": inline or self.pull is not None,
        }
        lines = []
        for mode, traced in is_traced.items():
            lines.append(f"  {mode}: {'traced' if traced else 'opaque, NumPy in a callback'}")
        return lines + [f"    {name}: {reason}" for name, reason in self.reasons.items()]

    def _rule(self, name: str) -> Any:
        # arrays of JAX's: rules are found by class
        stand_ins = [jnp.zeros(())] * len(self.value.ins)
        return self.value.flat.rule(MODES[name], stand_ins, self.config)

    def _is_traced(self, name: str, function: Callable[..., Any], operation: Linear) -> bool:
        n = len(self.value.ins)
        return self._runs(name, function, operation.ins[:n], operation.ins[n:])

    def _is_transposable(self, name: str, push: Callable[..., Any]) -> bool:
        def transposed(xs: Arrays, bars: Arrays) -> list[Any]:
            return self._transposed(push, xs, bars)

        bars = self.push_op.codirections
        return self._runs(f"transposed {name}", transposed, self.value.ins, bars)

    def _runs(self, name: str, function: Callable[..., Any], *specs) -> bool:
        try:
            reason, _ = attempt(function, *map(list, specs))
        except NotImplementedTangentError as error:
            # of one output, maybe, and JAX asks for all of them: numbers tell which are used
            if len(self.push_op.codirections) == 1:
                raise
            reason = str(error)
        if reason:
            self.reasons[name] = reason
        return reason is None


def derivative_of(value: Value, active: tuple[bool, ...]) -> Derivative:
    """The derivative of a call, found out once for as long as no rule arrives."""
    known = value.flat.memory(ENGINE)
    found: Derivative | None = known.get((value, active))
    if found is None:
        found = known[value, active] = Derivative(value, active)
    return found
