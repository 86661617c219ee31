"""The abilities of the calling engine, as classes that rules dispatch on.

A rule for a higher-order function needs to differentiate the function that it was given, and only
the engine can. Such a rule declares `config` as a keyword-only parameter, annotated with the
ability it needs:

    @rrule.register(map_rows)
    def map_rows_rrule(f: Callable, x: Array, *, config: HasReverseMode): ...
        y, pullback = rrule_via_ad(config, f, row)

Engines make one long-lived instance of a class that combines their abilities. Configs are keys of
the rule cache.
"""

import operator
from functools import partial
from typing import Any

from chainrules_py.annotations import Args, Function
from chainrules_py.errors import NoRuleError
from chainrules_py.tangents.plain_containers import as_tangent
from chainrules_py.values.identity import qualified_name


class RuleConfig:
    """A caller without known abilities: the config of a plain `rrule(...)`."""

    def is_active(self, value: Any) -> bool:
        """Whether the engine wants a derivative with respect to a value; a plain caller never."""
        return False

    def is_active_twice(self, value: Any) -> bool:
        """Whether the engine may want a derivative of the derivative with respect to a value."""
        return self.is_active(value)


class HasReverseMode(RuleConfig):
    """The engine can differentiate any function in reverse."""

    def rrule_via_ad(self, function: Function, *args: Any, **options: Any) -> tuple[Any, Function]:
        """Return the value of `function` and its pullback, with a cotangent per argument: a `Tangent`
        of a container, or one like it.
        """
        raise NotImplementedError(
            f"{type(self).__qualname__} is a HasReverseMode and must define rrule_via_ad"
        )


class NoReverseMode(RuleConfig):
    """The engine has no reverse mode: a rule may say how to do without."""


class HasForwardsMode(RuleConfig):
    """The engine can differentiate any function forward."""

    def frule_via_ad(
        self, dots: tuple[Any, ...], function: Function, *args: Any, **options: Any
    ) -> tuple[Any, Any]:
        """Return the value of `function` and its derivative along one tangent per argument: a
        `Tangent` of a container, or one like it.
        """
        raise NotImplementedError(
            f"{type(self).__qualname__} is a HasForwardsMode and must define frule_via_ad"
        )


class NoForwardsMode(RuleConfig):
    """The engine has no forward mode: a rule may say how to do without."""


class HasBatching(RuleConfig):
    """The engine can compute a function for many examples at once."""

    def in_lanes(self, function: Function, lanes: tuple[bool, ...], args: Args) -> Any:
        """The results of `function` for all examples, along the first axis; they lie so in the
        arguments that have lanes.

        Raises a BatchingError where the function decides by the numbers of an example.
        """
        raise NotImplementedError(
            f"{type(self).__qualname__} is a HasBatching and must define in_lanes"
        )


class HandlesOverwriting(RuleConfig):
    """The engine keeps track of arguments that a function writes into.

    Later reads of such an argument, or of its views, see what was written; pullbacks of earlier
    reads get the cotangent of what was there. Rules registered with `overwrites` are for these
    engines alone: others would take the argument for a constant, or for what it was.
    """


NO_CONFIG = RuleConfig()


def rrule_via_ad(
    config: RuleConfig, function: Function, *args: Any, **options: Any
) -> tuple[Any, Function]:
    """Differentiate `function` in reverse with the calling engine, or raise NoRuleError.

    For ``operator.call, f, *args``, the first cotangent is that of what `f` holds.
    """
    if not isinstance(config, HasReverseMode):
        raise _unable("rrule_via_ad", config, function, args, "HasReverseMode")
    if function is operator.call and args:
        from chainrules_py.rules.callables import rrule_of_call  # which few rules need

        return rrule_of_call(partial(rrule_via_ad, config), args[0], args[1:], options)
    value, pullback = config.rrule_via_ad(function, *args, **options)
    return value, lambda y_bar: tuple(map(as_tangent, pullback(y_bar)))


def frule_via_ad(
    config: RuleConfig,
    dots: tuple[Any, ...],
    function: Function,
    *args: Any,
    **options: Any,
) -> tuple[Any, Any]:
    """Differentiate `function` forward with the calling engine, or raise NoRuleError.

    For ``operator.call, f, *args``, the first tangent is that of what `f` holds.
    """
    if not isinstance(config, HasForwardsMode):
        raise _unable("frule_via_ad", config, function, args, "HasForwardsMode")
    if function is operator.call and args:
        from chainrules_py.rules.callables import frule_of_call

        return frule_of_call(partial(frule_via_ad, config), dots, args[0], args[1:], options)
    value, y_dot = config.frule_via_ad(dots, function, *args, **options)
    return value, as_tangent(y_dot)


def _unable(
    entry_point: str, config: RuleConfig, function, args: Args, ability: str
) -> NoRuleError:
    return NoRuleError(
        f"{entry_point}({qualified_name(function)})",
        f"the config {type(config).__qualname__} is not a {ability}",
        f"annotate the rule's config parameter with {ability}, so that it is only chosen by engines"
        " that have it",
        mode="forward" if entry_point == "frule_via_ad" else "reverse",
        primal=function,
        types=tuple(map(type, args)),
        nearest=(),
    )
