"""Which arguments of a function are differentiated: by position, by name, or passed by keyword."""

import inspect
import operator
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from chainrules_py.identity import qualified_name
from chainrules_py.structure import is_structural
from chainrules_tape.core.errors import InputError
from chainrules_tape.core.tracing import Function, Leaves
from chainrules_tape.core.trees import as_constant

Argument = int | str  # by position, or by name
Arguments = Argument | Sequence[Argument]

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def restricted_to(function: Function, chosen: Sequence[Argument], args: tuple[Any, ...], options: dict[str, Any]) -> Function:
    """The function of some of its arguments, the others being constants."""

    constants = list(map(as_constant, args)), {name: as_constant(option) for name, option in options.items()}

    def restricted(*some: Any) -> Any:
        every, by_name = list(constants[0]), dict(constants[1])
        for key, arg in zip(chosen, some, strict=True):
            if isinstance(key, int):
                every[key] = arg
            else:
                by_name[key] = arg
        return function(*every, **by_name)

    return restricted


def is_several(argnums: Arguments) -> bool:
    """Whether arguments are named one by one, so that there is a gradient for each."""
    return isinstance(argnums, Iterable) and not isinstance(argnums, str)


def chosen_arguments(
    function: Function, argnums: Arguments, args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Argument, ...]:
    """The positions of the arguments that `argnums` names, and the names of those that were passed by keyword."""
    if type(argnums) is int and 0 <= argnums < len(args):
        return (argnums,)
    asked: Any = argnums if is_several(argnums) else (argnums,)
    chosen = tuple([chosen_argument(function, one, args, options) for one in asked])
    if len(set(chosen)) < len(chosen):
        where, got = f"a derivative of {qualified_name(function)}", f"argnums={argnums}, which names an argument twice"
        raise InputError(where, got, "name each argument once", function=function, argument=chosen[0], value=args)
    return chosen


def chosen_argument(function: Function, asked: Argument, args: tuple[Any, ...], options: dict[str, Any]) -> Argument:
    """The position of one argument, or its name where it was passed by keyword; InputError where it was not passed."""
    position = None if isinstance(asked, str) or not hasattr(asked, "__index__") else operator.index(asked)
    if position is not None and -len(args) <= position < len(args):
        return position % len(args)
    if isinstance(asked, str) and asked in options:
        return asked
    names = positional_names(function)
    if isinstance(asked, str) and asked in names[: len(args)]:
        return names.index(asked)
    if position is not None and 0 <= position < len(names) and names[position] in options:
        return names[position]
    where = f"a derivative of {qualified_name(function)}"
    got = f"argnums={asked!r}, {len(args)} positional arguments and the keywords {list(options)}"
    instead = "name an argument that the call passes, by its position or by its name"
    raise InputError(where, got, instead, function=function, argument=asked, value=args)


def positional_names(function: Function) -> list[str]:
    """The names of a function's positional parameters; none where Python cannot tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [parameter.name for parameter in parameters if parameter.kind in _POSITIONAL]


def raise_inactive_arguments(function: Function, inputs: Leaves) -> NoReturn:
    """Raise: there are arguments, but nothing in them to differentiate with respect to."""
    where, got = f"grad({qualified_name(function)})", f"arguments without real or complex numbers: {inputs.values!r}"
    instead = next(filter(None, map(opened_by, inputs.values)), "pass floats: integers have no tangent")
    raise InputError(where, got, instead, function=function, argument=0, value=inputs.values)


def opened_by(x: Any) -> str | None:
    """What to write so that the attributes of an argument are differentiated; None where it has none."""
    return f"mark the class {type(x).__qualname__} with @chainrules_tape.container" if is_structural(x) else None
