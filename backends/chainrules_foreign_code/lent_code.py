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
from itertools import repeat
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary, ref

from chainrules_py.introspection import is_profiled, process_lock, with_label
from chainrules_py.introspection.waiting_code import Waiting
from chainrules_tape.core.levels import at_closing, open_levels
from chainrules_tape.refusals.instrumented_packages import (
    files,
    markers,
    needed_by,
)

# a thread that lends has it, lest another one gives back meanwhile
lending = process_lock()
# functions that have another code just now, and their own ones
_lent: dict[FunctionType, CodeType] = {}
# the other codes of functions that such code has made, in any derivative; none is kept for that
_made: dict[ref[FunctionType], CodeType] = {}
# since the first level was opened: modules, files and classes that were looked at, and by identity the
# own codes of functions whose other ones have run; not empty, where something is lent
looked_at: set[Any] = set()


class Codes:
    """The codes of a function: its own, the other one, and that by which it waits for its first call."""

    __slots__ = ("other", "own", "waiting")

    def __init__(self, own: CodeType, other: CodeType | None, waiting: Any = None) -> None:
        self.own, self.other, self.waiting = own, other, waiting

    def has_run(self, noted: set[Any]) -> bool:
        """Whether the other code has run, as is noted; what has no source does not say so, and is taken
        to have.
        """
        if id(self.own) in noted:  # after it has waited
            return True
        if self.other is None:
            return False
        says_so = sum(type(const) in markers for const in self.other.co_consts) > 1
        return id(self.other.co_consts[-2]) in noted if says_so else self.waiting is None


# by the function, which is not kept for that
codes_of: WeakKeyDictionary[FunctionType, Codes] = WeakKeyDictionary()
# functions by weak references, with their codes
Batch = dict[ref[FunctionType], Codes]


class SeenFile:
    """The functions with some global variables, and their codes.

    Neither they are kept nor the variables, of which a file that is run anew makes new ones.
    """

    def __init__(self) -> None:
        self.functions: dict[ref[FunctionType], Codes] = {}
        self.is_own = False  # the user's, whose functions code may call that asks for nothing
        # of a module of a package, how many were seen when it was looked at: functions of others of
        # these that it holds are among its own
        self.packages = 0
        self.count = -1  # of the variables when they were looked at


def lend(batch: Batch, waiting: bool = False) -> None:
    """Give functions their other codes, or those by which they wait, so that it is known which of them
    are called: 0.2 us each. Those that have another code already keep it.
    """
    with_labels = is_profiled()
    for reference, codes in batch.copy().items():  # of which some may be freed meanwhile
        function = reference()
        if function is None:
            continue
        if function.__code__ is codes.own:
            other: Any = (waiting and codes.waiting) or codes.other or codes.waiting
            _lent[function] = codes.own  # first, so that it gets its own code again in any case
            function.__code__ = with_label(other) if with_labels else other
        elif not has_other_code(function):
            forget(function)


def forget(function: FunctionType) -> None:
    """Forget the codes of a function that was assigned one since, and look at its file anew."""
    codes_of.pop(function, None)
    needed_by.clear()
    for file in files.copy().values():
        if file.functions.pop(ref(function), None) is not None:
            file.count = -1


class Needed:
    """What the derivatives of a function need: at first all is lent, and from the third one on what has
    run by then, or may run without being asked for.
    """

    __slots__ = ("batch", "function", "looked_at", "times")

    def __init__(self, function: FunctionType) -> None:
        key = id(function)
        self.function = ref(function, lambda _: needed_by.pop(key, None))
        self.batch: Any = None
        self.looked_at: set[Any] = set()
        self.times = 0


opened: list[Needed] = []  # of functions whose derivatives are being taken, and that need all


def note_made(function: FunctionType) -> FunctionType:
    """Note a function that lent code has made, and that may live longer than the derivative."""
    if open_levels:
        _made[ref(function, _made.pop)] = function.__code__
    else:
        function.__code__ = own_code(function)
    return function


def lend_made(is_open: bool) -> None:
    """Lend functions that lent code has made their other codes again, or give them their own: a sweep
    runs some of them, of a checkpoint or an integral, when the derivative that made them is over.
    """
    for reference, other in _made.copy().items():
        function: Any = reference()
        codes = other.co_consts[-2], other
        if getattr(function, "__code__", None) is codes[not is_open]:
            function.__code__ = codes[is_open]


def has_other_code(function: FunctionType) -> bool:
    """Whether a function has another code than its own just now."""
    consts = function.__code__.co_consts
    kind = type(consts[-1]) if consts else None
    return kind in markers or kind is Waiting


def own_code(function: FunctionType) -> CodeType:
    """The code that its author wrote, of a function that may have another one just now."""
    code = function.__code__
    return code.co_consts[-2] if has_other_code(function) else code


def give_back() -> None:
    """Give all functions their own code, if no level is open in any thread."""
    if open_levels or not looked_at:
        return
    try:
        give_all_back()
    except BaseException:  # an interrupt, after which no other one comes at once
        give_all_back()
        raise


def give_all_back() -> None:
    """Give functions their own code, in C, so that no interrupt comes between."""
    with lending:
        if open_levels:
            return
        lent = _lent.copy()  # what is freed meanwhile may run code that lends
        deque(map(setattr, lent, repeat("__code__"), lent.values()), 0)
        lend_made(is_open=False)
        _lent.clear()
        for needed in opened:
            needed.looked_at |= looked_at
            needed.times += 1
        opened.clear()
        looked_at.clear()


at_closing.append(give_back)
if hasattr(os, "register_at_fork"):  # a child has no other threads, nor their derivatives
    os.register_at_fork(after_in_child=give_back)
