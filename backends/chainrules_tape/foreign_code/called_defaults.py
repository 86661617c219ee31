"""Conversions that a function is given as defaults, ``def read(x, converter=float)``, in code that
is seen through.

`float` is also what types are compared with and arrays are made of, so that it has to stay `float`
in general. Where a function does nothing with such an argument but call it, its default may be the
function that takes traced numbers.
"""

from types import CodeType, FunctionType
from typing import Any

from chainrules_py.introspection import is_only_called
from chainrules_tape.foreign_code.conversions import CONVERTING


def called_defaults(function: FunctionType, defaults: tuple[Any, ...]) -> tuple[Any, ...]:
    """The defaults of a function's positional parameters, with conversions that are only called
    replaced.
    """
    code = function.__code__
    # those of another function, as networkx gives them to what stands around it
    if len(defaults) > code.co_argcount:
        return defaults
    names = code.co_varnames[: code.co_argcount][code.co_argcount - len(defaults) :]
    return tuple(
        [instead_of(default, code, name) for default, name in zip(defaults, names, strict=True)]
    )


def instead_of(default: Any, code: CodeType, name: str) -> Any:
    """What is called in the place of a default, if the code only calls it."""
    stand_in = CONVERTING.get(id(default)) if isinstance(default, type) else None
    return stand_in if stand_in is not None and is_only_called(code, name) else default
