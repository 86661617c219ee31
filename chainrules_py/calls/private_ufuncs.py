"""Find Python functions that hand their arguments to a private ufunc, as `zeta` does to ``_zeta``.

An engine sees the call of the ufunc, which NumPy's protocol shows, and the rule belongs to the
function that has a public name. When a rule of such a function arrives, the function is called with
stand-ins for arrays: where it hands them to one ufunc, each in its place, and returns what that
returns, the ufunc is another name of the function.
"""

from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from chainrules_py.calls.callform import CallForm
from chainrules_py.introspection import has_branches

Adapt = Callable[..., tuple[tuple[Any, ...], dict[str, Any]]]

# Arguments for the places in which stand-ins are refused. They are recognised by their values, in
# two calls, so that a function that changes some numbers alone is not taken to hand them on.
_NUMBERS = ((2, 3, 5, 7), (-1009, -11, -13, -17))


def wrapped_ufuncs(function) -> Iterator[tuple[np.ufunc, Adapt]]:
    """Find the private ufuncs of which a function is the public name.

    Each comes with the adapter that rewrites a call of the ufunc as one of the function.
    """
    if type(function) is FunctionType:
        for ufunc in _private_ufuncs(function):
            patterns = _patterns(function, ufunc.nin)
            if any(_passes_on(function, ufunc, active) for active in patterns):
                yield ufunc, _leaving_defaults_out(CallForm.of(function))


def _private_ufuncs(function: FunctionType) -> Iterator[np.ufunc]:
    """List the private ufuncs that a function's own lines name.

    A function that names none is never called with stand-ins.
    """
    code: CodeType = function.__code__
    named = [function.__globals__.get(name) for name in code.co_names]
    modules = [vars(value) for value in named if isinstance(value, ModuleType)]
    found = [*named, *(module.get(name) for module in modules for name in code.co_names)]
    return (value for value in found if _is_private(value))


def _is_private(value) -> TypeGuard[np.ufunc]:
    return (
        isinstance(value, np.ufunc)
        and value.__name__.startswith("_")
        and value.nin <= len(_NUMBERS[0])
    )


def _patterns(function: FunctionType, count: int) -> Iterator[tuple[int, ...]]:
    """Choose which arguments are stand-ins.

    All are; or each one alone, where a function without branches takes numbers besides.
    """
    yield tuple(range(count))
    if count > 1 and not has_branches(function.__code__):
        yield from ((index,) for index in range(count))


def _passes_on(function: FunctionType, ufunc: np.ufunc, active: tuple[int, ...]) -> bool:
    """Whether the function, called with stand-ins, is one call of the ufunc with the same."""
    return all(_passes_numbers_on(function, ufunc, active, numbers) for numbers in _NUMBERS)


def _passes_numbers_on(
    function: FunctionType, ufunc: np.ufunc, active: tuple[int, ...], numbers: tuple[int, ...]
) -> bool:
    calls: list[UfuncCall] = []
    args = tuple(
        StandIn(calls) if index in active else numbers[index] for index in range(ufunc.nin)
    )
    try:
        y = function(*args)
    except Exception:  # whatever it does with what is no number: it does more than to pass it on
        return False
    if len(calls) != 1:
        return False
    (call,) = calls
    return call.ufunc is ufunc and call.y is y and all(map(_is_same, args, call.inputs))


class UfuncCall(NamedTuple):
    """A call of a ufunc with stand-ins; one with options, or of its methods, has no `ufunc`."""

    ufunc: np.ufunc | None
    inputs: tuple[Any, ...]
    y: object


class StandIn:
    """An argument of which nothing is known but which ufunc it was handed to."""

    def __init__(self, calls: list[UfuncCall]) -> None:
        self.calls = calls

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs, **options) -> Any:
        y = object()
        is_plain = method == "__call__" and not options
        self.calls.append(UfuncCall(ufunc if is_plain else None, inputs, y))
        return y

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError("a stand-in for an array has no numbers")


def _is_same(given, arrived) -> bool:
    return given is arrived or (
        type(given) is int and type(arrived) is not StandIn and bool(np.all(given == arrived))
    )


def _leaving_defaults_out(form: CallForm) -> Adapt:
    """Make the rewriting of a call of the ufunc to one of the function, without its defaults."""
    defaults = [form.defaults.get(name) for name in form.names]

    def without_defaults(*args, **options) -> tuple[tuple[Any, ...], dict[str, Any]]:
        count = len(args)
        while count > 1 and _is_number(args[count - 1]) and args[count - 1] == defaults[count - 1]:
            count -= 1
        return args[:count], options

    return without_defaults


def _is_number(value) -> bool:
    cls = type(value)  # not isinstance: a traced value says that it is of another class
    return issubclass(cls, int | float) or (
        issubclass(cls, np.ndarray | np.generic) and value.ndim == 0
    )
