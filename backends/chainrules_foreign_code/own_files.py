"""See the file of a function, once and for good: its functions get a code that asks for callees.

Nothing is entered or left. The exchange of a function is one assignment of its code, so that an
interrupt leaves each function with one of two codes, and either is right.
"""

from collections.abc import Callable
from functools import partial
from inspect import unwrap
from types import FunctionType, MethodType
from typing import Any

from chainrules_foreign_code.callees import exchange, files, functions_with


def see_file_of(function: Callable[..., Any]) -> bool:
    """Have the functions of a function's file take traced values from now on; whether some did not.

    The file is told by the global variables of its functions, as a notebook is.
    """
    written = written_function(function)
    if written is None:
        return False
    variables = written.__globals__
    is_new = exchange([written, *functions_with(variables)])
    files[id(variables)] = variables
    return is_new


def written_function(function) -> FunctionType | None:
    """The function in which the code of a callable is written, if that is Python's."""
    found: Any = unwrap(function)
    while isinstance(found, partial | MethodType):
        found = unwrap(found.func if isinstance(found, partial) else found.__func__)
    if not isinstance(found, FunctionType | type):
        called: Any = getattr(type(found), "__call__", None)
        found = unwrap(called)
    return found if isinstance(found, FunctionType) else None
