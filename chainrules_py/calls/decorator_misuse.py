"""A rule that is made by a decorator has to say whose rule it is; else the decorated function would
be taken for the primal.
"""

import sys
from dis import opname
from types import CodeType, FrameType
from typing import Any

from chainrules_py.errors import RegistrationError


def require_primals(decorator: str, primals: tuple[Any, ...]) -> None:
    """Raise where the function that asks was given no primal: no argument, or by ``@decorator``
    what stands under it.
    """
    frame = sys._getframe(2)
    if not primals or decorates(frame):
        where, got = (
            f"@{decorator} at {frame.f_code.co_filename}:{frame.f_lineno}",
            "it was not said whose rule this is",
        )
        instead = f"write @{decorator}(function), with the function that is to be differentiated"
        raise RegistrationError(where, got, instead, primal=None, rule=next(iter(primals), None))


def decorates(frame: FrameType) -> bool:
    """Whether what a frame is calling is a decorator: called without arguments in its code, at the
    head of a definition.
    """
    instructions, at = frame.f_code.co_code, frame.f_lasti
    # of the call, behind which a frame stands that called a Python function
    while opname[instructions[at]] == "CACHE":
        at -= 2
    # CPython 3.11 to 3.14 pass a decorator what it decorates in the place of a method's self, which
    # is not counted.
    if opname[instructions[at]] != "CALL" or instructions[at + 1] > 0:
        return False
    return any(is_defined_on(frame.f_lineno, part) for part in frame.f_code.co_consts)


def is_defined_on(line: int, code: Any) -> bool:
    """Whether a line belongs to the definition of a function or class, its decorators included;
    lambdas have none.
    """
    if not isinstance(code, CodeType) or code.co_name.startswith("<"):
        return False
    return (
        code.co_firstlineno
        <= line
        <= max(number for *_, number in code.co_lines() if number is not None)
    )
