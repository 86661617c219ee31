"""Checks that cost little, made in every call of a rule that was written as a function, in debug mode or not.

A cotangent that comes in is one (`SeedSpace`). What a pullback returns is a tuple with one entry per positional argument, and
what a forward rule returns a value and a tangent. None is None, and each has the shape of what it belongs to, or its parts: a
wrong shape would be found only by a later rule, which would be blamed for it, or by nobody, where broadcasting makes it fit.
A part of another name would be lost. Declared rules (`scalar_rule`, `linear_rule` and others) see to all of this themselves.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from chainrules_py.contract import contract_error, require_count, value_and_pullback, value_and_tangent
from chainrules_py.describing import describe
from chainrules_py.errors import ProjectionError, RuleContractError
from chainrules_py.rule import Rule
from chainrules_py.seeds import SeedSpace
from chainrules_py.structure import fields, is_container
from chainrules_py.tangents import ZERO, AbstractTangent, Tangent
from chainrules_py.tangents.structural import entries

_OUR_RULES = str(Path(__file__).parent / "rulesets")
Space = Any  # a shape, a dict of the spaces of a container's parts, or None where nobody can say


def guarded_rule(rule: Rule, function: Callable[..., Any]) -> Callable[..., Any]:
    """A reverse rule whose pullback refuses wrong seeds, and wrong cotangents in what it returns."""

    where = f"the pullback of {rule.place}"

    def guarded(*args: Any, **options: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        y, pullback = value_and_pullback(rule, function(*args, **options))
        space, spaces = SeedSpace(y), spaces_of(args)

        def guarded_pullback(y_bar: Any) -> tuple[Any, ...]:
            y_bar = space.admit(y_bar, where)
            if y_bar is ZERO:
                return (ZERO,) * len(spaces)
            try:
                bars = pullback(y_bar)
            except ProjectionError as error:
                raise contract_error(
                    rule, "pullback", str(error), "give each cotangent its argument's shape", y_bar, None
                ) from error
            return require_shapes(rule, require_count(rule, bars, len(spaces)), spaces)

        return y, guarded_pullback

    return guarded


def guarded_frule(rule: Rule, function: Callable[..., Any]) -> Callable[..., Any]:
    """A forward rule of which it is certain that it returns a value, and a tangent of its shape."""
    if rule.specialise is not None:
        return function

    def guarded(dots: tuple[Any, ...], *args: Any, **options: Any) -> tuple[Any, Any]:
        result = value_and_tangent(rule, function(dots, *args, **options))
        y, y_dot = result
        if getattr(y, "shape", None) != getattr(y_dot, "shape", ...):
            require_space(rule, "y_dot", space_of(y), y_dot)
        return result

    return guarded


def space_of(value: Any) -> Space:
    """The shape of an array or a number, those of a container's parts, and None for anything else."""
    try:
        return value.shape
    except AttributeError:
        if is_container(value):
            return {key: space_of(part) for key, part in fields(value).items()}
        return _shape_of(value)


def spaces_of(values: tuple[Any, ...]) -> tuple[Space, ...]:
    """The shapes of arguments."""
    return tuple([space_of(value) for value in values])


def require_shapes(rule: Rule, bars: tuple[Any, ...], spaces: tuple[Space, ...]) -> tuple[Any, ...]:
    """What a pullback returned, if each cotangent has its argument's shape."""
    for bar, space in zip(bars, spaces, strict=True):
        if getattr(bar, "shape", None) != space:
            require_each_space(rule, bars, spaces)
    return bars


def require_each_space(rule: Rule, bars: tuple[Any, ...], spaces: tuple[Space, ...]) -> None:
    """Check each cotangent fully; called only when the quick shape comparison fails."""
    for index, (bar, space) in enumerate(zip(bars, spaces, strict=True)):
        require_space(rule, index, space, bar)


def require_space(rule: Rule, argument: int | str, space: Space, tangent: Any) -> None:
    """Raise for a natural tangent of another shape, or one with other parts; what is postponed is for projection to judge."""
    if not _fits(space, tangent):
        raise _misshapen(rule, argument, space, tangent)


def _fits(space: Space, tangent: Any) -> bool:
    if space is None or (isinstance(tangent, AbstractTangent) and not isinstance(tangent, Tangent)):
        return True
    if not isinstance(space, dict):
        return bool(_shape_of(tangent) == space)
    parts = _parts_of(tangent)
    if parts is None or not parts.keys() <= space.keys():
        return False
    return all(_fits(space[key], part) for key, part in parts.items())


def _shape_of(value: Any) -> tuple[int, ...] | None:
    return getattr(value, "shape", () if isinstance(value, int | float | complex) else None)


def _parts_of(tangent: Any) -> Any:
    return entries(tangent) if isinstance(tangent, Tangent) else fields(tangent) if is_container(tangent) else None


def _misshapen(rule: Rule, argument: int | str, space: Space, tangent: Any) -> RuleContractError:
    """The error for a tangent that has not the shape, or the parts, of what it belongs to."""
    which = f"argument {argument}" if isinstance(argument, int) else "its output"
    kind, advice = ("cotangent", ", broadcast axes summed away") if rule.mode == "reverse" else ("tangent", "")
    wanted = f"a Tangent with parts of shapes {space}" if isinstance(space, dict) else f"one of shape {space}{advice}"
    got = f"returned {describe(tangent)} as the {kind} of {which}"
    return contract_error(rule, argument, got, f"return {wanted}, or ZERO", tangent, space)


def is_proven(rule: Rule) -> bool:
    """Whether a rule is one of this library, of which the tests check every sample; engines need not check those again."""
    return rule.where.startswith(_OUR_RULES)
