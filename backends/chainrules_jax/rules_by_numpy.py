"""Rules of SciPy's functions, and of primitives, on JAX's arrays in programs that our tape
differentiates.

Such a rule may hand JAX's arrays to code that is NumPy's alone: outside of `jax.jit` the result
would be NumPy's, and inside JAX would refuse it. Where JAX can trace the rule, with a call of
`to_jax` for the value, it runs as any other rule does. Where not, the whole call is one of
`to_jax`, and JAX is asked for its derivative: by NumPy, in a callback where JAX compiles.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from chainrules_jax.errors import JaxError
from chainrules_jax.functions import to_jax
from chainrules_jax.operations import active_positions, given_to_active, of_active
from chainrules_jax.results import attempt
from chainrules_jax.tangents import as_tangent, is_floating, transposed_convention
from chainrules_py import ZERO, ChainRulesError, RuleTable, is_zero, unthunk
from chainrules_py.engines import (
    FlatValue,
    Mode,
    Rule,
    as_primitive,
    made_of,
    qualified_name,
    with_items_at,
)

Run = Callable[..., Any]
Needs = tuple[bool, ...]


def differentiated(run: Run, rule: Rule, mode: Mode, primal, needs: Needs, table: RuleTable) -> Run:
    """The function that differentiates a call on JAX's arrays: `run`, the rule's own, for functions
    that NumPy need not compute.
    """
    if not is_by_numpy(primal):
        return run
    by_jax = pulled_by_jax if mode == "reverse" else pushed_by_jax

    def by_rule(*args, **options) -> Any:
        if "config" in rule.wants:  # it calls functions, which the engine differentiates
            return run(*args, **options)
        types = map(type, args if mode == "reverse" else args[1:])
        return table.resolve(mode, as_primitive(primal), tuple(types), needs)(*args, **options)

    def by_rule_or_jax(*args, **options):
        values = args if mode == "reverse" else args[1:]
        call = Call(primal, values, options, needs, table)
        if call.is_traced(mode, by_rule):
            return by_rule(*args, **options)
        return by_jax(call, *args[: len(args) - len(values)])

    return by_rule_or_jax


def is_by_numpy(primal) -> bool:
    """Tell whether NumPy may be what computes a function: it is SciPy's, or a user's primitive."""
    return qualified_name(primal).startswith("scipy.") or made_of(primal) is not None


class Call:
    """A call of a function that NumPy may compute: its plan, its leaves, and which of
    these somebody differentiates by.
    """

    def __init__(
        self,
        primal,
        args: tuple[Any, ...],
        options: dict[str, Any],
        needs: Needs,
        table: RuleTable,
    ) -> None:
        self.plan, self.leaves, self.given = to_jax(primal, rules=table).planned(args, options)
        self.flat = self.plan.flat
        needed: set[int] = set()
        for leaves, need in zip(self.flat.leaves_of_arguments, needs, strict=False):
            if need:
                needed.update(leaves)
        pairs = enumerate(self.leaves)
        self.active = tuple(k in needed and is_floating(leaf) for k, leaf in pairs)

    def function(self, *active) -> list[Any]:
        """The leaves of the value, as a function of the active leaves that JAX differentiates."""
        leaves = with_items_at(self.leaves, active_positions(self.active), active)
        found: list[Any] = self.plan.function(*leaves)
        return found

    def points(self) -> list[Any]:
        """The active leaves."""
        return of_active(self.leaves, self.active)

    def is_traced(self, mode: Mode, by_rule: Run) -> bool:
        """Tell whether JAX can trace the rule of a mode on leaves like these; it is tried once."""
        known = self.plan.is_traced
        key = (mode, self.active)
        if key not in known:
            known[key] = self._runs(self._reverse if mode == "reverse" else self._forward, by_rule)
        return known[key]

    def _runs(self, trial: Callable[..., list[Any]], by_rule: Run) -> bool:
        places = [k for k, number in enumerate(self.flat.numbers) if number is None]

        def with_numbers(*arrays) -> list[Any]:
            return trial(by_rule, with_items_at(self.given, places, arrays))

        try:
            return attempt(with_numbers, *[self.plan.specs[k] for k in places])[0] is None
        except JaxError:  # what the rule calls cannot be traced: its result is not known, say
            return False
        except ChainRulesError:  # what the rule refuses it says again, to whom it concerns
            return True

    def _reverse(self, by_rule: Run, leaves: Sequence[Any]) -> list[Any]:
        args, options = self.flat.arguments(leaves)
        y, pullback = by_rule(*args, **options)
        flat = FlatValue.of(y)
        bars = pullback(flat.tangent(list(map(_ones, flat.leaves))))
        return _arrays([*flat.leaves, *FlatValue.of(bars).leaves])

    def _forward(self, by_rule: Run, leaves: Sequence[Any]) -> list[Any]:
        args, options = self.flat.arguments(leaves)
        pairs = zip(leaves, self.active, strict=True)
        given = [_ones(leaf) if own else ZERO for leaf, own in pairs]
        dots = self.flat.tangents_of_arguments(given)
        y, y_dot = by_rule(dots, *args, **options)
        flat = FlatValue.of(y)
        return _arrays([*flat.leaves, *flat.tangents(y_dot)])


def _arrays(values: Sequence[Any]) -> list[Any]:
    return [jnp.asarray(unthunk(value)) for value in values if not is_zero(value)]


def _ones(x) -> Any:
    return jnp.ones(jnp.shape(x), x.dtype) if hasattr(x, "dtype") and is_floating(x) else ZERO


def pulled_by_jax(call: Call) -> tuple[Any, Any]:
    """The value of a call and its pullback, by `jax.vjp`."""
    ys, pull = jax.vjp(call.function, *call.points())
    value = call.plan.flat_value(ys)

    def pullback_by_jax(y_bar) -> tuple[Any, ...]:
        def pulled(bars: Sequence[Any]) -> list[Any]:
            return list(pull([as_tangent(bar, y) for bar, y in zip(bars, ys, strict=True)]))

        bars = transposed_convention(pulled)(value.tangents(y_bar))
        return call.flat.tangents_of_arguments(given_to_active(bars, call.active))

    return value.with_leaves(ys), pullback_by_jax


def pushed_by_jax(call: Call, dots: tuple[Any, ...]) -> tuple[Any, Any]:
    """The value of a call and its tangent, by `jax.jvp`."""
    points = call.points()
    moved = of_active(call.flat.tangents_of_leaves(dots), call.active)
    tangents = list(map(as_tangent, moved, points))
    ys, y_dots = jax.jvp(call.function, points, tangents)
    value = call.plan.flat_value(ys)
    floating = list(map(is_floating, ys))
    y_dot = value.tangent(given_to_active(of_active(y_dots, floating), floating))
    return value.with_leaves(ys), y_dot
