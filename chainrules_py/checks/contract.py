"""The contract of a rule, checked: a little always, everything in debug mode.

Always (`guards`): the cotangent that comes in is one (`Space.admit`), and what comes out is a tuple
with one entry per positional argument, each of that argument's shape and none None.

In debug mode (`checked_rule`), on top of that: arguments, cotangents and residuals are not written
to (they are compared with copies taken before); the pullback can be called again and says the same;
every cotangent lies in its argument's tangent space already (projecting it changes nothing but
laziness); arguments that nobody needs get no tangent. A forward rule's tangent is checked against
its output in the same way. The value that a rule of others returns is held to what the function
returns, which is called once more; not where it draws random numbers or calls other functions.

One promise is the caller's: what a rule was given stays as it is until the pullback has run,
because rules keep references and no copies. Where somebody wrote to an argument or to the output in
between, the pullback raises an `OverwrittenError`.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.checks.comparing import Snapshot, changes, same_value, snapshot
from chainrules_py.errors import OverwrittenError, ProjectionError, RuleContractError
from chainrules_py.projection import ProjectTo
from chainrules_py.projection.containers import StructuralSpace
from chainrules_py.projection.project_to import admitting_space
from chainrules_py.projection.space import NoTangentSpace, Space
from chainrules_py.rules.rule import Rule
from chainrules_py.tangents import (
    NO_TANGENT,
    ZERO,
    AbstractZero,
    NotImplementedTangent,
    Tangent,
    unthunk,
)
from chainrules_py.tangents.describing import describe
from chainrules_py.tangents.structural import entries
from chainrules_py.values.identity import made_of
from chainrules_py.values.structure import leaves_of

_debugging: ContextVar[bool] = ContextVar("chainrules_py_debugging", default=False)
debugging = _debugging.get

_OUR_RULES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "rulesets")

INSTEAD_OF_NONE = (
    "return ZERO for a derivative that is zero, NO_TANGENT where there is no tangent space"
)
INSTEAD_OF_NO_TANGENT = (
    "return ZERO if the derivative is zero, not_implemented(...) if nobody wrote it"
)


@contextmanager
def debug_mode(enabled: bool = True) -> Iterator[None]:
    """Check every promise of every rule called inside, or looked up by an engine; in this thread (or
    asynchronous task) only.

    >>> import numpy as np
    >>> from chainrules_py import rrule
    >>> with debug_mode():
    ...     y, pullback = rrule(np.sin, np.array([0.0]))
    ...     pullback(np.array([2.0]))
    (array([2.]),)
    """
    token = _debugging.set(enabled)
    try:
        yield
    finally:
        _debugging.reset(token)


def require_count(rule: Rule, bars: Any, count: int) -> tuple[Any, ...]:
    """Return the cotangents of a pullback; raise if they are no tuple of `count`."""
    if type(bars) is not tuple or len(bars) != count:
        got = (
            f"{len(bars)} cotangents" if isinstance(bars, tuple) else f"a {type(bars).__qualname__}"
        )
        raise contract_error(
            rule,
            "pullback",
            f"its pullback returned {got}",
            f"return a tuple of {count}, one per positional argument",
            bars,
            count,
        )
    for index, bar in enumerate(bars):
        if bar is None:
            got = f"its pullback returned None for argument {index}"
            raise contract_error(rule, index, got, INSTEAD_OF_NONE, None, "a tangent")
    return bars


def require_tangent(rule: Rule, argument: int | str, space: Space, tangent, asked: bool) -> None:
    """Raise for NO_TANGENT where there is a tangent space: it would be taken for a zero.

    `asked` says whether an engine has said that it differentiates the argument; of a value of a
    user's class nothing else tells that it has tangents. For an argument it may be parts alone that
    are differentiated, and of an output all are. Who declares that a function has no derivative says
    NO_TANGENT of all outputs.
    """
    if not rule.differentiable:
        return
    which, parts = f"argument {argument}", False
    if argument == "y_dot":
        which, parts = "its output", True
    if _is_denied(tangent, space, asked, parts):
        got = f"returned {tangent!r} for {which}, which has tangents"
        raise contract_error(rule, argument, got, INSTEAD_OF_NO_TANGENT, tangent, space)


def _is_denied(tangent, space: Space, asked: bool, parts: bool) -> bool:
    if tangent is NO_TANGENT:
        return has_tangents(space, asked)
    if not (parts and isinstance(tangent, Tangent) and isinstance(space, StructuralSpace)):
        return False
    own = entries(tangent)
    return any(_is_denied(own.get(key), part, asked, parts) for key, part in space.fields.items())


def has_tangents(space: Space, asked: bool = False) -> bool:
    """Whether the values of a space have tangents; of a user's class if an engine asks for some."""
    if isinstance(space, StructuralSpace):
        return any(has_tangents(part) for part in space.fields.values())
    is_unknown = space.shape is None
    return not isinstance(space, NoTangentSpace) and (asked or not is_unknown)


def contract_error(
    rule: Rule,
    argument,
    got: str,
    instead: str,
    value,
    expected,
    error: type[RuleContractError] = RuleContractError,
) -> RuleContractError:
    """Make the error that names the promise which a rule broke, with the rule's place."""
    return error(
        f"{rule.label}, {rule.name} at {rule.where}",
        got,
        instead,
        rule=rule,
        location=rule.where,
        argument=argument,
        value=value,
        expected=expected,
    )


def is_proven(rule: Rule) -> bool:
    """Whether a rule is one of this library, whose samples are tested: engines need no checks."""
    return rule.where.startswith(_OUR_RULES)


def checked_rule(rule: Rule, function: Function, needs: tuple[bool, ...] | None = None) -> Function:
    """The rule with every promise checked, in either mode."""
    if rule.mode == "reverse":
        return _checked_reverse(rule, function, needs)
    return _checked_forward(rule, function)


def _checked_reverse(rule: Rule, function: Function, needs: tuple[bool, ...] | None) -> Function:
    def checked(*args, **options) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        given = {
            name: snapshot(value, lists=True)
            for name, value in (*enumerate(args), *options.items())
        }
        y, pullback = value_and_pullback(rule, function(*args, **options))
        require_unmodified(rule, chain(*given.values()), "its arguments")
        _require_value(rule, y, args, options)
        return y, _checked_pullback(rule, pullback, y, args, given, needs)

    return checked


def _checked_pullback(
    rule: Rule,
    pullback: Callable[[Any], Any],
    y,
    args: Args,
    given: dict[Any, Snapshot],
    needs: tuple[bool, ...] | None,
) -> Callable[[Any], tuple[Any, ...]]:
    where, count = f"the pullback of {rule.place}", len(args)
    space, output = admitting_space(y), snapshot(y)

    def checked_pullback(y_bar) -> tuple[Any, ...]:
        y_bar = space.admit(y_bar, where)
        if y_bar is ZERO:
            return (ZERO,) * count
        _require_not_overwritten(rule, {**given, "its output": output})
        seed = snapshot(y_bar)
        bars = require_count(rule, pullback(y_bar), count)
        values = tuple(map(unthunk, bars))
        first = snapshot(values)
        repeated = tuple(map(unthunk, require_count(rule, pullback(y_bar), count)))
        for before, what in (
            (chain(*given.values()), "its arguments"),
            (output, "its output"),
            (seed, "the cotangent it was given"),
            (first, "the cotangents of an earlier call"),
        ):
            require_unmodified(rule, before, what)
        for index, (arg, bar, again) in enumerate(zip(args, values, repeated, strict=True)):
            if needs is None or needs[index]:
                _require_in_tangent_space(rule, index, arg, bar, asked=needs is not None)
            _require_same_again(rule, index, bar, again)
        return bars

    return checked_pullback


def _checked_forward(rule: Rule, function: Function) -> Function:
    def checked(dots: tuple[Any, ...], *args, **options) -> tuple[Any, Any]:
        before = snapshot((dots, args, options))
        y, y_dot = value_and_tangent(rule, function(dots, *args, **options))
        require_unmodified(rule, before, "its arguments")
        _require_value(rule, y, args, options)
        _require_in_tangent_space(rule, "y_dot", y, unthunk(y_dot))
        return y, y_dot

    return checked


def value_and_pullback(rule: Rule, result) -> tuple[Any, Callable[[Any], Any]]:
    """Take a reverse rule's result apart; raise if it is no value and pullback."""
    if type(result) is not tuple or len(result) != 2 or not callable(result[1]):
        raise contract_error(
            rule, "result", f"returned {result!r}", "return (y, pullback)", result, "(y, pullback)"
        )
    return result


def value_and_tangent(rule: Rule, result) -> tuple[Any, Any]:
    """Take a forward rule's result apart; raise if it is no value and tangent."""
    if type(result) is not tuple or len(result) != 2:
        raise contract_error(
            rule, "result", f"returned {result!r}", "return (y, y_dot)", result, "(y, y_dot)"
        )
    if result[1] is None:
        raise contract_error(
            rule, "y_dot", "returned None as the tangent", INSTEAD_OF_NONE, None, "a tangent"
        )
    return result


def _require_in_tangent_space(rule: Rule, argument, primal, tangent, asked: bool = False) -> None:
    require_tangent(rule, argument, admitting_space(primal), tangent, asked)
    if isinstance(tangent, AbstractZero | NotImplementedTangent):
        return
    try:
        projected = ProjectTo(primal)(tangent)
    except ProjectionError as error:
        raise contract_error(
            rule,
            argument,
            str(error),
            "return a cotangent of the argument's shape",
            tangent,
            primal,
        ) from error
    if not _same_kind(tangent, projected):
        got = (
            f"the tangent of argument {argument!r} is {describe(tangent)}, its space wants"
            f" {describe(projected)}"
        )
        raise contract_error(
            rule, argument, got, "return ProjectTo(argument)(cotangent)", tangent, projected
        )


def _same_kind(tangent, projected) -> bool:
    if isinstance(projected, AbstractZero):
        if isinstance(tangent, Tangent):  # a container of zeros is one
            return all(_same_kind(part, projected) for part in entries(tangent).values())
        return isinstance(tangent, AbstractZero)
    if isinstance(projected, Tangent):
        if not isinstance(tangent, Tangent):
            return False
        own = entries(tangent)
        return all(
            isinstance(own.get(k, ZERO), AbstractZero) or _same_kind(own[k], v)
            for k, v in entries(projected).items()
        )
    return getattr(tangent, "dtype", None) == getattr(projected, "dtype", None) or not hasattr(
        tangent, "dtype"
    )


def _require_same_again(rule: Rule, index: int, one, other) -> None:
    if not same_value(one, other):
        got = (
            f"the pullback called twice gave two cotangents for argument {index}: {one!r} and"
            f" {other!r}"
        )
        raise contract_error(
            rule, index, got, "compute from the residuals without writing to them", other, one
        )


def _require_value(rule: Rule, y, args: Args, options: Options) -> None:
    """Raise where a rule's value is not what its function returns."""
    given = leaves_of((*args, *options.values()))
    may_differ = any(hasattr(x, "bit_generator") or hasattr(x, "random_sample") for x in given)
    if is_proven(rule) or may_differ or "config" in rule.wants or _has_others(y, *given):
        return
    function = made_of(rule.primal) or rule.primal
    expected = function(*args, **options)
    if _are_equal(y, expected) or not _are_equal(function(*args, **options), expected):
        return  # what draws random numbers returns another value each time
    got = f"its value is {_described(y)}, and that of the function {_described(expected)}"
    raise contract_error(rule, "result", got, "return the function's value", y, expected)


def _has_others(*values) -> bool:
    """Whether there are arrays of other libraries among some values, as those that are traced."""
    others = [x for x in leaves_of(values) if not issubclass(type(x), np.ndarray | np.generic)]
    return any(hasattr(x, "dtype") for x in others)


def _are_equal(y, expected) -> bool:
    """Whether values have the same numbers in the same shapes and dtypes, rounding aside."""
    found, wanted = leaves_of(y), leaves_of(expected)
    return len(found) == len(wanted) and all(map(_is_equal, found, wanted))


def _is_equal(y, expected) -> bool:
    numbers = int | float | complex | np.ndarray | np.generic
    if not (isinstance(y, numbers) and isinstance(expected, numbers)):
        return True
    one, other = np.asarray(y), np.asarray(expected)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind not in "fc":
        return same_value(one, other)
    return np.allclose(one, other, rtol=np.finfo(one.dtype).eps ** 0.5, equal_nan=True)


def _described(y) -> str:
    dtype = getattr(y, "dtype", None)
    return repr(y) if dtype is None else f"{y!r} of dtype {dtype}"


def require_unmodified(rule: Rule, before: Iterable[tuple[Any, Any]], what: str) -> None:
    """Raise if any array of a snapshot has changed."""
    for array, copy in changes(before):
        raise contract_error(
            rule, what, f"wrote to {what}: {copy!r} became {array!r}", "work on a copy", array, copy
        )


def _require_not_overwritten(rule: Rule, given: dict[Any, Snapshot]) -> None:
    """Raise if anybody has written to what the rule was given, or had returned, since it ran."""
    for name, before in given.items():
        for array, copy in changes(before):
            got = (
                f"{_named(name)} was overwritten after the rule had run, and before its pullback:"
                f" {copy!r} became {array!r}"
            )
            instead = "write into a copy (buffer = buffer.copy()), or make a new array each time"
            raise contract_error(rule, name, got, instead, array, copy, OverwrittenError)


def _named(name: int | str) -> str:
    if isinstance(name, int):
        return f"argument {name}"
    return name if name == "its output" else f"option {name!r}"
