"""See the file of a function, once and for good: its functions get a code that asks for callees.

Nothing is entered or left. The exchange of a function is one assignment of its code, so that an
interrupt leaves each function with one of two codes, and either is right.
"""

from collections.abc import Callable
from typing import Any

from chainrules_foreign_code.callees import exchange, files, functions_with
from chainrules_tape.core.following import written_function


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
