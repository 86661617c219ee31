"""Derivatives of a call with respect to the callable itself: `operator.call`, for any engine.

What a callable holds has its place in a structural tangent: the arguments of a `functools.partial`,
the fields of an object, whatever is nested in them. The engine differentiates a function of these
parts, a dict of dicts with a number or an array at each end; all else stays as it is, and what the
callable writes into is not copied. A function that captures numbers has no such places, nor has a
method of an object: they are refused.
"""

from collections.abc import Callable, Iterator
from functools import partial
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    NoneType,
)
from typing import Any, NoReturn

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.errors import ClosureError, SeedError
from chainrules_py.tangents import NO_TANGENT, is_zero, unthunk, with_entries
from chainrules_py.tangents.dense import has_tangent
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.captured_values import Search
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_structural, rebuild

Parts = Any  # a number or an array, a dict of the parts that have some, or None where nothing has


def rrule_of_call(
    rrule: Function, f, args: Args, options: Options
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of a call and its pullback, which gives the cotangent of the callable first.

    `rrule` is that of an engine, for any function.
    """
    parts = differentiated_parts(f)
    if parts is None:
        y, pull = rrule(f, *args, **options)
        return y, lambda y_bar: (NO_TANGENT, *pull(y_bar))
    y, pull = rrule(partial(called_with, f), parts, *args, **options)

    def pullback(y_bar) -> tuple[Any, ...]:
        parts_bar, *bars = pull(y_bar)
        return tangent_of(f, parts, parts_bar), *bars

    return y, pullback


def frule_of_call(
    frule: Function,
    dots: tuple[Any, ...],
    f,
    args: Args,
    options: Options,
) -> tuple[Any, Any]:
    """The value of a call and its tangent, of which the callable's is the first of `dots`."""
    f_dot, *arg_dots = map(unthunk, dots)
    if is_zero(f_dot):
        y, y_dot = frule(tuple(arg_dots), f, *args, **options)
        return y, y_dot
    parts = differentiated_parts(f)
    if parts is None:
        raise SeedError(
            f"frule_via_ad(operator.call, {qualified_name(f)})",
            f"got {f_dot!r} as the tangent of a callable that holds no numbers",
            "pass NO_TANGENT",
            rule=None,
            value=f_dot,
            expected=NO_TANGENT,
        )
    parts_dot = dots_of(f, parts, f_dot)
    y, y_dot = frule((parts_dot, *arg_dots), partial(called_with, f), parts, *args, **options)
    return y, y_dot


def called_with(f, parts, *args, **options):
    """Call a function that is like another one, with other parts."""
    return with_parts(f, parts)(*args, **options)


def differentiated_parts(x, around: tuple[int, ...] = ()) -> Parts:
    """What is differentiated of a value."""
    if is_structural(x):
        if id(x) in around:
            refuse_callable(x, "an object that holds itself")
        found = {
            key: differentiated_parts(part, (*around, id(x))) for key, part in fields(x).items()
        }
        return {key: part for key, part in found.items() if part is not None} or None
    if is_differentiated(x):
        return x
    if callable(x) and HeldNumbers().visit(x):
        refuse_callable(x, "a callable that captures numbers or arrays, which no tangent can hold")
    return None


def refuse_callable(x, got: str) -> NoReturn:
    """Raise the error for a callable that has no tangent."""
    instead = "pass what it holds in the fields of a dataclass that has __call__"
    where = f"operator.call({qualified_name(x)})"
    raise ClosureError(where, got, instead, primal=x, value=x)


def is_differentiated(x) -> bool:
    """Whether a value is a number or an array that has a tangent."""
    return not isinstance(x, type) and has_tangent(getattr(x, "dtype", type(x)))


def with_parts(x, parts: Parts) -> Any:
    """A value with others in the places of its parts."""
    if not is_structural(x):
        return parts
    old = fields(x)
    return rebuild(x, {key: with_parts(old[key], part) for key, part in fields(parts).items()})


def tangent_of(x, parts: Parts, bar) -> Any:
    """The structural tangent of a value, given that of its parts."""
    if parts is None or is_zero(bar):
        return NO_TANGENT if parts is None else bar
    if not isinstance(parts, dict):
        return bar
    own = tangents_of_parts(bar, parts)
    return with_entries(
        type(x),
        {key: tangent_of(part, parts.get(key), own.get(key)) for key, part in fields(x).items()},
    )


def dots_of(x, parts: Parts, dot) -> Any:
    """The tangent of the parts of a value, given its structural one."""
    dot = unthunk(dot)
    if not isinstance(parts, dict) or is_zero(dot):
        return dot
    own, values = tangents_of_parts(dot, parts), fields(x)
    return with_entries(
        dict,
        {key: dots_of(values[key], part, own.get(key, NO_TANGENT)) for key, part in parts.items()},
    )


class HeldNumbers(Search):
    """The search for numbers and arrays in what is no container: in cells, methods and wrappers."""

    leaves = frozenset({bool, int, str, bytes, NoneType})

    def __init__(self) -> None:
        super().__init__(is_differentiated)

    def parts_of(self, x) -> Iterator[tuple[Any, Any]]:
        """List what a value holds; of a function's defaults no numbers, which are settings."""
        if isinstance(x, FunctionType):
            for key, part in super().parts_of(x):
                if key[0] == "cell" or not isinstance(part, float | complex):
                    yield key, part
        elif isinstance(x, BuiltinFunctionType | MethodWrapperType):
            if not isinstance(x.__self__, ModuleType | type):
                yield "self", x.__self__
        elif isinstance(x, MethodType):
            yield from super().parts_of(x)
        elif is_structural(x):
            yield from fields(x).items()
        elif type(x).__module__ == "operator":
            yield "given", x.__reduce__()[1]  # of `methodcaller`
        elif callable(x) and not isinstance(x, type):
            yield "function", getattr(x, "__wrapped__", None)
