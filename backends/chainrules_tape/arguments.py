"""Which arguments of a function are differentiated: by position, by name, or passed by keyword."""

import inspect
from collections.abc import Sequence
from typing import Any

from chainrules_py.identity import qualified_name
from chainrules_tape.core.errors import InputError
from chainrules_tape.core.tracing import Function

Argument = int | str  # by position, or by name


Arguments = Argument | Sequence[Argument]


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def restricted_to(function: Function, chosen: Sequence[Argument], args: tuple[Any, ...], options: dict[str, Any]) -> Function:
    """The function of some of its arguments, the others being constants."""

    def restricted(*some: Any) -> Any:
        every, by_name = list(args), dict(options)
        for key, arg in zip(chosen, some, strict=True):
            if isinstance(key, int):
                every[key] = arg
            else:
                by_name[key] = arg
        return function(*every, **by_name)

    return restricted


def chosen_arguments(
    function: Function, argnums: Arguments, args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Argument, ...]:
    """The positions of the arguments that `argnums` names, and the names of those that were passed by keyword."""
    if type(argnums) is int and 0 <= argnums < len(args):
        return (argnums,)
    asked: Sequence[Argument] = (argnums,) if isinstance(argnums, int | str) else tuple(argnums)
    chosen = tuple([chosen_argument(function, one, args, options) for one in asked])
    if len(set(chosen)) < len(chosen):
        where, got = f"grad({qualified_name(function)})", f"argnums={argnums}, which names an argument twice"
        raise InputError(where, got, "name each argument once", function=function, argument=chosen[0], value=args)
    return chosen


def chosen_argument(function: Function, asked: Argument, args: tuple[Any, ...], options: dict[str, Any]) -> Argument:
    """The position of one argument, or its name where it was passed by keyword; InputError where it was not passed."""
    if not isinstance(asked, str) and -len(args) <= asked < len(args):
        return asked % len(args)
    if asked in options:
        return asked
    names = positional_names(function)
    if isinstance(asked, str) and asked in names[: len(args)]:
        return names.index(asked)
    if not isinstance(asked, str) and 0 <= asked < len(names) and names[asked] in options:
        return names[asked]
    where = f"grad({qualified_name(function)})"
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
