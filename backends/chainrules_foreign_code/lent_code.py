"""Code that functions have while a derivative is open, and only then.

A function of a file or module that is seen has the code that its author wrote. While a level is open
it has another one, in which each call asks for what takes traced values. When the last level of the
process closes, each has its own code again. So plain calls, and whoever reads codes (debuggers,
profilers, coverage, pickles, compilers), find what they found before.

A function gets and loses the other code by one assignment: an interrupt leaves each function with
one of two codes, and either is right; the next derivative ends what was interrupted.
"""

import os
from collections import deque
from functools import cache
from itertools import repeat
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from chainrules_py.introspection import is_profiled, process_lock
from chainrules_py.introspection.waiting_code import waited_for
from chainrules_tape.core.levels import at_closing, open_levels
from chainrules_tape.refusals.instrumented_packages import files, is_exchanged

_lock = process_lock()
# functions that have another code just now, and their own ones; and those that such code has made,
# which are not kept for that
_lent: dict[FunctionType, CodeType] = {}
_made: WeakKeyDictionary[FunctionType, CodeType] = WeakKeyDictionary()
# what has been looked at since the first level was opened; not empty, while one is open
looked_at: set[Any] = set()


class Codes:
    """The codes of a function: its own, the other one, and that by which it waits for its first call."""

    __slots__ = ("files", "other", "own", "waiting")

    def __init__(self, own: CodeType, other: CodeType | None, waiting: Any = None) -> None:
        self.own, self.other, self.waiting = own, other, waiting
        self.files: list[SeenFile] = []  # that hold the function


# by the function, which is not kept for that
codes_of: WeakKeyDictionary[FunctionType, Codes] = WeakKeyDictionary()


class SeenFile:
    """The functions with some global variables, and their codes.

    Neither the functions are kept nor the variables, of which a file that is run anew makes new ones.
    """

    def __init__(self) -> None:
        self.functions: WeakKeyDictionary[FunctionType, Codes] = WeakKeyDictionary()
        self.is_lent_first = (
            False  # some are called by code that asks for nothing, in C, for instance
        )

    def lend(self, waiting: bool = False) -> None:
        """Give the functions their other codes, or those by which they wait, so that it is known which
        of them are called; but where somebody has assigned one meanwhile.
        """
        for function, codes in [*self.functions.items()]:
            if function.__code__ is codes.own:
                other = (waiting and codes.waiting) or codes.other or codes.waiting
                lend_code(function, codes.own, other)


def lend_code(function: FunctionType, own: CodeType, other: CodeType) -> None:
    """Give a function another code until the last level is closed."""
    _lent[function] = own  # first, so that whatever comes between it gets its own code again
    function.__code__ = with_label(other) if is_profiled() else other


@cache
def with_label(code: CodeType) -> CodeType:
    """A code whose file has another name by text: profilers keep one entry of file, line and name."""
    folder, name = os.path.split(code.co_filename)
    return code.replace(co_filename=os.path.join(folder, ".", name)) if folder else code


def lend_first() -> None:
    """Lend codes to the files in which functions are called unasked, as the first level is opened."""
    if looked_at:
        return
    with _lock:
        looked_at.add(None)
        for key, file in [*files.items()]:
            if not file.functions:
                del files[key]  # the variables are gone
            elif file.is_lent_first:
                file.lend()


def note_made(function: FunctionType) -> FunctionType:
    """Note a function that lent code has made, and that may live longer than the derivative."""
    own = function.__code__.co_consts[-2]
    if open_levels:
        _made[function] = own
    else:
        function.__code__ = own
    return function


def has_other_code(function: FunctionType) -> bool:
    """Whether a function has another code than its own just now."""
    return is_exchanged(function.__code__) or waited_for(function.__code__) is not None


def own_code(function: FunctionType) -> CodeType:
    """The code that its author wrote, of a function that may have another one just now."""
    return _lent.get(function) or _made.get(function) or function.__code__


def give_back() -> None:
    """Give all functions their own code, if no level is open in any thread."""
    if open_levels or not (looked_at or _made):
        return
    with _lock:
        if open_levels:
            return
        for table in (_lent, dict(_made.items())):
            # in C, so that no interrupt comes between
            deque(map(setattr, table, repeat("__code__"), table.values()), 0)
        _lent.clear()
        _made.clear()
        looked_at.clear()


at_closing.append(give_back)
