"""Derive the rule of one mode from that of the other, by linearity.

The pullback that a reverse rule returns is linear in the cotangent: its own pullback is the forward
derivative. The tangent that a forward rule returns is linear in the tangents: its pullback is the
reverse rule. Both take the derivative of a linear map, which is the same everywhere; it is taken at
ones rather than at zeros, because a rule may treat an exact zero specially (a strong zero). The
engine takes it, so that such a rule is for engines with a reverse mode.
"""

from collections.abc import Callable
from typing import Any

from chainrules_py.annotations import Function
from chainrules_py.checks.guards import held
from chainrules_py.rules.config import HasReverseMode, rrule_via_ad
from chainrules_py.rules.rule import OTHER_MODE, Rule
from chainrules_py.tangents import NO_TANGENT, ZERO
from chainrules_py.tangents.plain_containers import as_plain_container, as_tangent, tangent_of_ones
from chainrules_py.values.arrays import ArrayLibrary
from chainrules_py.values.places import with_items_at

Needs = tuple[bool, ...]


def derived_rule(rule: Rule) -> Rule:
    """Make the rule of the other mode for the calls that a rule is for."""
    mode, function = OTHER_MODE[rule.mode], rule.function
    assert function is not None, "an opt-out derives nothing"
    make = forward_from_reverse if mode == "forward" else reverse_from_forward
    own = {"config"} & rule.wants

    def specialise(types: tuple[type, ...], needs: Needs, library: ArrayLibrary) -> Function:
        bound = held(rule, rule.bind(types, needs, library), needs)
        return named(make(rule.primal, bound, needs, own))

    def named(made: Function) -> Function:
        made.__name__ = made.__qualname__ = f"{rule.name}_by_linearity"
        return made

    return rule.replaced(
        mode=mode,
        function=named(make(rule.primal, function, (True,) * len(rule.types), own)),
        specialise=specialise,
        wants=frozenset({"config"}),
        derived_from=rule,
        **dict(partials=None, written_partials=None, checks_seed=False, body=None),
    )


def forward_from_reverse(primal, rrule: Function, needs: Needs, own: set[str]) -> Function:
    """frule: the pullback of the pullback, applied to the tangents."""

    def derived_frule(
        dots: tuple[Any, ...], *args, config: HasReverseMode, **options
    ) -> tuple[Any, Any]:
        y, pullback = rrule(*args, **dict.fromkeys(own, config), **options)
        active = [i for i, need in enumerate(needs) if need]

        def pull(y_bar) -> tuple[Any, ...]:
            args_bar = pullback(as_tangent(y_bar))
            return tuple(as_plain_container(args_bar[i], args[i]) for i in active)

        _, push = rrule_via_ad(config, pull, tangent_of_ones(y))
        (y_dot,) = push(tuple(as_plain_container(dots[i], args[i]) for i in active))
        return y, as_tangent(y_dot)

    return derived_frule


def reverse_from_forward(primal, frule: Function, needs: Needs, own: set[str]) -> Function:
    """rrule: the pullback of the tangent as a function of the tangents of the arguments."""

    def derived_rrule(
        *args, config: HasReverseMode, **options
    ) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        y = primal(*args, **options)
        active = [i for i, need in enumerate(needs) if need]

        def push(*active_dots) -> Any:
            dots = with_items_at([ZERO] * len(args), active, map(as_tangent, active_dots))
            found = frule(tuple(dots), *args, **dict.fromkeys(own, config), **options)
            return as_plain_container(found[1], y)

        def derived_pullback(y_bar) -> tuple[Any, ...]:
            _, pull = rrule_via_ad(config, push, *(tangent_of_ones(args[i]) for i in active))
            bars = map(as_tangent, pull(as_plain_container(y_bar, y)))
            return tuple(with_items_at([NO_TANGENT] * len(args), active, bars))

        return y, derived_pullback

    return derived_rrule
