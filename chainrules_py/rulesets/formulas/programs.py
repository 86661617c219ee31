"""Functions whose value somebody else computes, and that are differentiated as a program."""

from collections.abc import Callable
from typing import Any

from chainrules_py.annotations import Args, Function
from chainrules_py.rules.config import (
    HasForwardsMode,
    HasReverseMode,
    RuleConfig,
    frule_via_ad,
    rrule_via_ad,
)
from chainrules_py.table.entry_points import Pullback
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import NO_TANGENT
from chainrules_py.values.captured_values import frozen


def of_needed(
    function: Function, args: Args, needs: tuple[bool, ...]
) -> tuple[Function, tuple[Any, ...]]:
    """A function of those arguments that are needed, and these; the others are constants.

    >>> of_needed(divmod, (7, 2), (False, True))[0](3)
    (2, 1)
    """
    active = tuple([arg for arg, need in zip(args, needs, strict=True) if need])

    def with_constants(*active, **options) -> Any:
        given = iter(active)
        both = zip(args, needs, strict=True)
        return function(*[next(given) if need else arg for arg, need in both], **options)

    return with_constants, active


def all_cotangents(needed, needs: tuple[bool, ...]) -> tuple[Any, ...]:
    """The cotangents of all arguments, given those of the ones that are needed."""
    given = iter(needed)
    return tuple([next(given) if need else NO_TANGENT for need in needs])


def rrule_of_needed(
    config: RuleConfig,
    program: Function,
    args: Args,
    needs: tuple[bool, ...],
    **options,
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of a program, and its pullback by the arguments that are needed."""
    function, active = of_needed(program, args, needs)
    value, pull = rrule_via_ad(config, function, *active, **options)
    return value, lambda bar: all_cotangents(pull(bar), needs)


def differentiated_as(primal: Function, program: Function) -> None:
    """Register rules for a function whose derivatives are those of a program."""

    @default_rules.rrule.register(primal)
    def program_rrule(
        *args, config: HasReverseMode, needs: tuple[bool, ...], **options
    ) -> tuple[Any, Pullback]:
        y, args = primal(*args, **options), frozen(args)

        def program_pullback(y_bar) -> tuple[Any, ...]:
            return rrule_of_needed(config, program, args, needs, **options)[1](y_bar)

        return y, program_pullback

    @default_rules.frule.register(primal)
    def program_frule(
        dots: tuple[Any, ...], *args, config: HasForwardsMode, **options
    ) -> tuple[Any, Any]:
        y = primal(*args, **options)
        return y, frule_via_ad(config, dots, program, *args, **options)[1]
