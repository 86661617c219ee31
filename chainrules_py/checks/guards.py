"""Cheap checks, made in every call of a rule that was written as a function.

A cotangent or tangent that comes in lies in the space of its value (`Space.admit`). A pullback
returns a tuple with one entry per positional argument, a forward rule a value and a tangent. No
entry is None, and each has the shape, or the parts, of the value that it belongs to: a wrong shape
would be found only by a later rule, which would be blamed for it, or by nobody, where broadcasting
makes it fit. A part of another name would be lost. Declared rules (`scalar_rule`, `linear_rule` and
others) see to all of this themselves.
"""

from collections.abc import Callable
from typing import Any

from numpy import ndarray

from chainrules_py.annotations import Args, Function
from chainrules_py.checks.contract import (
    contract_error,
    is_proven as is_proven,
    require_count,
    require_tangent,
    value_and_pullback,
    value_and_tangent,
)
from chainrules_py.errors import ProjectionError, RuleContractError, said_by
from chainrules_py.projection.admission import seed_error
from chainrules_py.projection.containers import StructuralSpace
from chainrules_py.projection.dense import dense_space
from chainrules_py.projection.project_to import admitting_space
from chainrules_py.projection.space import Space
from chainrules_py.rules.rule import Rule
from chainrules_py.tangents import NO_TANGENT, ZERO, AbstractZero, has_tangent
from chainrules_py.tangents.describing import describe
from chainrules_py.values.identity import qualified_name

Needs = tuple[bool, ...] | None  # of each argument whether it is differentiated, if an engine says


def guarded_rule(rule: Rule, function: Function) -> Function:
    """Make a reverse rule whose pullback refuses wrong seeds; what it returns is `held`."""
    where = f"the pullback of {rule.place}"

    def guarded(*args, **options) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        y, pullback = function(*args, **options)
        space, count = admitting_space(y), len(args)

        def guarded_pullback(y_bar) -> tuple[Any, ...]:
            y_bar = space.admit(y_bar, where)
            if y_bar is ZERO:
                return (ZERO,) * count
            try:
                bars: tuple[Any, ...] = pullback(y_bar)
            except ProjectionError as error:
                raise contract_error(
                    rule,
                    "pullback",
                    str(error),
                    "give each cotangent its argument's shape",
                    y_bar,
                    None,
                ) from error
            return bars

        return y, guarded_pullback

    return guarded


def dtype_kind(x) -> str | None:
    """Return the kind of an array's dtype; None where there is none."""
    return getattr(getattr(x, "dtype", None), "kind", None)


def is_held_to_contract(rule: Rule) -> bool:
    """Whether each call of a rule is held to the contract: somebody else wrote it as a function."""
    return rule.specialise is None and rule.mode != "batching" and not is_proven(rule)


def held(rule: Rule, function: Function, needs: Needs = None) -> Function:
    """Make a rule that is not this library's one whose results are checked, whoever calls it: their
    number, their shapes, that none is None, and NO_TANGENT only where there is no tangent space.

    For a real value, the tangent is made real. It gets cotangents or tangents that it cannot write
    into: other arguments may have the same arrays, and the caller has them. Where a rule declares
    what it overwrites, it owns them.
    """
    if not is_held_to_contract(rule):
        return function

    def held_rule(*args, **options):
        y, pullback = value_and_pullback(rule, function(*args, **options))
        spaces = spaces_of(args)

        def held_pullback(y_bar):
            bars = require_count(rule, lend_arrays_to(rule, pullback, (y_bar,)), len(spaces))
            return require_shapes(rule, bars, spaces, needs)

        held_pullback.__dict__.update(getattr(pullback, "__dict__", {}))
        return y, held_pullback

    def held_frule(dots: tuple[Any, ...], *args, **options):
        def frule_along(*given):
            return function(given, *args, **options)

        y, y_dot = value_and_tangent(rule, lend_arrays_to(rule, frule_along, dots))
        if getattr(y, "shape", None) != getattr(y_dot, "shape", ...):
            space = admitting_space(y)
            require_tangent(rule, "y_dot", space, y_dot, asked=False)
            require_space(rule, "y_dot", space, y_dot)
        elif dtype_kind(y_dot) == "c" and dtype_kind(y) == "f":
            y_dot = admitting_space(y)(y_dot)
        return y, y_dot

    made = held_rule if rule.mode == "reverse" else held_frule
    made.__dict__.update(getattr(function, "__dict__", {}))
    return made


def lend_arrays_to(rule: Rule, function: Function, values: tuple[Any, ...]):
    """Call a part of a rule with arrays that it cannot write into, unless it may overwrite some."""
    given = values if rule.overwrites is not None else tuple(map(read_only, values))
    try:
        return function(*given)
    except ValueError as error:
        is_ours = any(view is not value for view, value in zip(given, values, strict=True))
        if not is_ours or "read-only" not in said_by(error):
            raise
        kind = "cotangent" if rule.mode == "reverse" else "tangent"
        raise contract_error(
            rule,
            f"the {kind} it was given",
            f"it writes into the {kind} that it is given, which is the caller's",
            f"make a new array, 2 * {kind}, or write into a copy, {kind}.copy()",
            values,
            None,
        ) from error


def read_only(value):
    """A view of an array that cannot be written to; other values as they are."""
    if type(value) is not ndarray or not value.flags.writeable:
        return value
    view = value.view()
    view.flags.writeable = False
    return view


def spaces_of(values: tuple[Any, ...]) -> tuple[Space, ...]:
    """The spaces of arguments."""
    return tuple(
        [
            dense_space(ndarray, x.shape, x.dtype) if type(x) is ndarray else admitting_space(x)
            for x in values
        ]
    )


def require_shapes(
    rule: Rule, bars: tuple[Any, ...], spaces: tuple[Space, ...], needs: Needs
) -> tuple[Any, ...]:
    """Return a pullback's cotangents; raise if one has another shape than its argument, or says
    that there is none.
    """
    for bar, space in zip(bars, spaces, strict=True):
        shape = space.shape  # None of containers, whose parts are looked at
        if bar is NO_TANGENT or shape is None or getattr(bar, "shape", None) != shape:
            require_each_space(rule, bars, spaces, needs)
            break
    return bars


def require_each_space(
    rule: Rule, bars: tuple[Any, ...], spaces: tuple[Space, ...], needs: Needs
) -> None:
    """Check each cotangent fully; called only when the quick comparison fails."""
    for index, (bar, space) in enumerate(zip(bars, spaces, strict=True)):
        if needs is None or needs[index]:
            require_tangent(rule, index, space, bar, asked=needs is not None)
        require_space(rule, index, space, bar)


def require_space(rule: Rule, argument: int | str, space: Space, tangent) -> None:
    """Raise for a natural tangent of another shape, or one with other parts."""
    if not space.fits(tangent):
        raise _misshapen(rule, argument, space, tangent)


def _misshapen(rule: Rule, argument: int | str, space: Space, tangent) -> RuleContractError:
    """The error for a tangent that has not the shape, or the parts, of what it belongs to."""
    which = f"argument {argument}" if isinstance(argument, int) else "its output"
    kind, advice = "tangent", ""
    if rule.mode == "reverse":
        kind, advice = "cotangent", ", broadcast axes summed away"
    shapes = _shapes(space)
    wanted = f"one of shape {shapes}{advice}"
    if isinstance(shapes, dict):
        wanted = f"a Tangent with parts of shapes {shapes}"
    got = f"returned {describe(tangent)} as the {kind} of {which}"
    return contract_error(rule, argument, got, f"return {wanted}, or ZERO", tangent, shapes)


def _shapes(space: Space) -> Any:
    if isinstance(space, StructuralSpace):
        return {key: _shapes(part) for key, part in space.fields.items()}
    return space.shape


def admit_tangents(dots, args: Args, primal) -> tuple[Any, ...]:
    """The tangents of a forward call, one per positional argument, as a rule may see them."""
    if not isinstance(dots, tuple) or len(dots) != len(args):
        instead = "pass a tuple with one tangent per positional argument, ZERO for constants"
        raise seed_error(
            dots,
            repr(dots),
            f"call with {len(args)} arguments",
            f"frule({qualified_name(primal)})",
            instead,
        )
    return tuple(
        [
            _admit_tangent(dot, arg, primal, i)
            for i, (dot, arg) in enumerate(zip(dots, args, strict=True))
        ]
    )


def _admit_tangent(dot, arg, primal, index: int) -> Any:
    if isinstance(dot, AbstractZero):
        return dot
    is_like_arg = (
        hasattr(dot, "dtype")
        and hasattr(arg, "dtype")
        and dot.dtype is arg.dtype
        and dot.shape == arg.shape
    )
    if is_like_arg and has_tangent(dot.dtype):
        return dot
    return admitting_space(arg).admit(dot, f"argument {index} of frule({qualified_name(primal)})")
