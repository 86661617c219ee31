"""See the file of a function, once and for good: its functions get a code that asks for callees.

Nothing is entered or left. The exchange of a function is one assignment of its code, so that an
interrupt leaves each function with one of two codes, and either is right.
"""

from types import CodeType
from typing import Any

from chainrules_foreign_code.callees import exchange, files, originals
from chainrules_foreign_code.held_functions import functions_with
from chainrules_py.annotations import Function
from chainrules_py.introspection import with_inner_codes
from chainrules_tape.core.following import written_function


def see_file_of(function: Function, refused: CodeType | None = None) -> bool:
    """Have the functions of a function's file take traced values from now on; whether some did not.

    The file is told by the global variables of its functions, as a notebook is. A function that only
    others hold is exchanged when exchanged code calls it; all objects of the process are looked at
    where no other function has the code that was refused.
    """
    written = written_function(function)
    if written is None:
        return False
    variables = written.__globals__
    found = [written, *functions_with(variables)]
    codes = [code for each in found for code in with_inner_codes(each.__code__)]
    if refused is not None and all(code is not refused for code in codes):
        found += functions_with(variables, anywhere=True)
    is_new = exchange(found)
    files.note(found)
    exchanged: Any = vars(originals)["data"].copy().values()  # by another thread, it may be
    return is_new or any(code is refused for code in exchanged)
