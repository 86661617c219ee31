"""Derive the rule of one mode from that of the other, by linearity.

The pullback that a reverse rule returns is linear in the cotangent: its own pullback is the forward
derivative. The tangent that a forward rule returns is linear in the tangents: its pullback is the
reverse rule. Both take the derivative of a linear map, which is the same everywhere; it is taken at
ones rather than at zeros, because a rule may treat an exact zero specially (a strong zero).
"""

from collections.abc import Callable
from typing import Any

from chainrules_py.rules.config import RuleConfig, rrule_via_ad
from chainrules_py.rules.rule import Mode, Rule, with_defaults
from chainrules_py.table.registry import RuleTable
from chainrules_py.tangents import NO_TANGENT, ZERO
from chainrules_py.tangents.plain_containers import as_plain_container, as_tangent, tangent_of_ones

Needs = tuple[bool, ...]


def derived_rule(
    table: RuleTable,
    config: RuleConfig,
    mode: Mode,
    primal,
    types: tuple[type, ...],
    needs: Needs,
    tangents: tuple[type, ...] = (),
) -> tuple[Rule, Callable[..., Any]]:
    """Make the rule of one mode from that of the other, or raise NoRuleError.

    `tangents` are the classes of tangents whose library is that of the rule, as for
    `RuleTable.resolve`.
    """
    other: Mode = "reverse" if mode == "forward" else "forward"
    function = table.find(other, primal, types, needs, config, tangents)
    rule = table.rule_for(other, primal, types, config)
    if function is None or rule is None:
        table.resolve(mode, primal, types, needs, config)  # raises, and says what there is
        raise LookupError(primal)  # for type checkers
    if "config" in rule.wants:
        function = with_defaults(function, {"config": config})
    make = forward_from_reverse if mode == "forward" else reverse_from_forward
    made = make(config, primal, function, needs)
    made.__name__ = made.__qualname__ = f"{rule.name}_by_linearity"
    return rule.replaced(mode=mode, function=made, specialise=None, wants=frozenset()), made


def forward_from_reverse(
    config: RuleConfig, primal, rrule: Callable[..., Any], needs: Needs
) -> Callable[..., Any]:
    """frule: the pullback of the pullback, applied to the tangents."""

    def derived_frule(dots: tuple[Any, ...], *args, **options) -> tuple[Any, Any]:
        y, pullback = rrule(*args, **options)
        active = [i for i, need in enumerate(needs) if need]

        def pull(y_bar) -> tuple[Any, ...]:
            args_bar = pullback(as_tangent(y_bar))
            return tuple(as_plain_container(args_bar[i], args[i]) for i in active)

        _, push = rrule_via_ad(config, pull, tangent_of_ones(y))
        (y_dot,) = push(tuple(as_plain_container(dots[i], args[i]) for i in active))
        return y, as_tangent(y_dot)

    return derived_frule


def reverse_from_forward(
    config: RuleConfig, primal, frule: Callable[..., Any], needs: Needs
) -> Callable[..., Any]:
    """rrule: the pullback of the tangent as a function of the tangents of the arguments."""

    def derived_rrule(*args, **options) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        y = primal(*args, **options)
        active = [i for i, need in enumerate(needs) if need]

        def push(*active_dots) -> Any:
            dots: list[Any] = [ZERO] * len(args)
            for i, dot in zip(active, active_dots, strict=True):
                dots[i] = as_tangent(dot)
            return as_plain_container(frule(tuple(dots), *args, **options)[1], y)

        def derived_pullback(y_bar) -> tuple[Any, ...]:
            _, pull = rrule_via_ad(config, push, *(tangent_of_ones(args[i]) for i in active))
            bars: list[Any] = [NO_TANGENT] * len(args)
            for i, bar in zip(active, pull(as_plain_container(y_bar, y)), strict=True):
                bars[i] = as_tangent(bar)
            return tuple(bars)

        return y, derived_pullback

    return derived_rrule
