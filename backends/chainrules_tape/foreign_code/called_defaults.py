"""Conversions that a function is given as defaults, ``def read(x, converter=float)``, in code that
is seen through.

`float` is also what types are compared with and arrays are made of, so that it has to stay `float`
in general. Where a function does nothing with such an argument but call it, its default may be the
function that takes traced numbers.
"""

import dis
from functools import cache
from types import CodeType, FunctionType
from typing import Any

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


@cache
def is_only_called(code: CodeType, name: str) -> bool:
    """Whether a code loads an argument, and in order to call it each time."""
    found = list(dis.get_instructions(code))
    around = [
        (found[k - 1], found[k + 1])
        for k, one in enumerate(found[:-1])
        if one.opcode in dis.haslocal and is_of(one, name)
    ]
    return bool(around) and all(
        "PUSH_NULL" in (before.opname, after.opname) for before, after in around
    )


def is_of(one: dis.Instruction, name: str) -> bool:
    """Whether an instruction loads or stores a variable, alone or with another one."""
    return one.argval == name or (isinstance(one.argval, tuple) and name in one.argval)
