"""Code that functions have while a derivative is open, and only then.

A function of a file or module that is seen has the code that its author wrote. While a level is open
it has another one, in which each call asks for what takes traced values. When the last level of the
process closes, each has its own code again. So plain calls, and whoever reads codes (debuggers,
profilers, coverage, pickles, compilers), find what they found before.

A function gets and loses the other code by one assignment: an interrupt leaves each function with
one of two codes, and either is right; the next derivative ends what was interrupted.
"""

from collections import deque
from collections.abc import Iterable
from itertools import repeat
from operator import attrgetter, call
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary, WeakSet, ref

from chainrules_py.introspection import is_profiled, process_lock, with_label
from chainrules_py.introspection.instructions import is_same_code
from chainrules_py.introspection.waiting_code import waited_for
from chainrules_tape.core.levels import at_closing, open_levels
from chainrules_tape.refusals.instrumented_packages import files, is_exchanged

# a thread that lends has it, lest another one gives back meanwhile
lending = process_lock()
code_of_function = attrgetter("__code__")
# functions that have another code just now, and their own ones: by the file; one by one; and those that
# such code has made, which are not kept for that
_batches: list[tuple[list[FunctionType], list[CodeType]]] = []
_lent: dict[FunctionType, CodeType] = {}
_made: WeakKeyDictionary[FunctionType, CodeType] = WeakKeyDictionary()
# the other codes of those that it made in derivatives that are over
_made_before: WeakKeyDictionary[FunctionType, CodeType] = WeakKeyDictionary()
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
        self.is_module = False  # of a package: functions of others that it holds are among them
        self.is_silent = False  # some of the other codes do not tell that they run
        # the functions by weak references, their own codes, and the others
        self._prepared: Any = None

    def add(self, function: FunctionType, codes: Codes) -> None:
        """Note a function with its codes."""
        self.functions[function] = codes
        codes.files.append(self)
        self._prepared = None
        self.is_silent = self.is_silent or runs_silently(codes)

    def has_changed(self) -> None:
        """Note that there are other codes of some function."""
        self._prepared = None

    def lend(self, waiting: bool = False) -> None:
        """Give the functions their other codes, or those by which they wait, so that it is known which
        of them are called: 0.2 us each.
        """
        prepared = None if waiting else self._prepared
        if prepared is None:
            prepared = self._lists(waiting)
            self._prepared = None if waiting else prepared
        references, own, others = prepared
        functions = list(map(call, references))
        if all(functions) and list(map(code_of_function, functions)) == own:
            _batches.append((functions, own))  # first, so that each gets its own code again
            exchange(functions, list(map(with_label, others)) if is_profiled() else others)
        else:
            self._prepared = None
            self._lend_one_by_one(waiting)

    def _lists(self, waiting: bool) -> Any:
        found = [*self.functions.items()]
        others = [(waiting and codes.waiting) or codes.other or codes.waiting for _, codes in found]
        return [ref(function) for function, _ in found], [codes.own for _, codes in found], others

    def _lend_one_by_one(self, waiting: bool) -> None:
        """Leave functions that have another code already; forget those that were assigned one."""
        for function, codes in [*self.functions.items()]:
            if function.__code__ is codes.own:
                other = (waiting and codes.waiting) or codes.other or codes.waiting
                lend_code(function, codes.own, other)
            elif not has_other_code(function):
                codes_of.pop(function, None)
                del self.functions[function]


def runs_silently(codes: Codes) -> bool:
    """Whether the other code replaces calls, or makes functions, and does not say so: it has no source."""
    own, other = codes.own, codes.other
    if other is None or "take" in other.co_names:
        return False
    return not is_same_code(own, other) or any(type(each) is CodeType for each in own.co_consts)


def exchange(functions: Iterable[FunctionType], codes: Iterable[CodeType]) -> None:
    """Assign functions their codes: in C, so that no interrupt comes between."""
    deque(map(setattr, functions, repeat("__code__"), codes), 0)


# by the identity of their variables, files whose functions may be called by code that asks for
# nothing, in C for instance
lent_first: dict[int, SeenFile] = {}


def lend_code(function: FunctionType, own: CodeType, other: CodeType) -> None:
    """Give a function another code until the last level is closed."""
    _lent[function] = own  # first, so that whatever comes between it gets its own code again
    function.__code__ = with_label(other) if is_profiled() else other


RAN = "lent code has run"  # of what has been looked at
# functions in whose derivatives none has, and so none is lent later; and those whose derivatives are
# being taken. A code alone says too little: a closure of it may call other functions.
needing_none: WeakSet[FunctionType] = WeakSet()
_opened: list[FunctionType] = []


def lend_first(function: FunctionType | None) -> None:
    """Lend codes to the files in which functions are called unasked, as the first level is opened, for
    a function: 0.2 us for each function of such a file, where it runs any of them.
    """
    if None in looked_at or (function is not None and function in needing_none):
        return
    if function is not None:
        _opened.append(function)
    looked_at.add(None)
    for key, file in [*lent_first.items()]:
        if file.functions:
            file.lend()
            looked_at.update((key, RAN) if file.is_silent else (key,))
        else:  # the variables are gone
            files.pop(key, None)
            lent_first.pop(key, None)


def note_made(function: FunctionType) -> FunctionType:
    """Note a function that lent code has made, and that may live longer than the derivative."""
    own = function.__code__.co_consts[-2]
    if open_levels:
        _made[function] = own
    else:
        function.__code__ = own
    return function


def lend_made() -> None:
    """Lend functions that lent code has made their other codes again: a sweep runs some of them, of a
    checkpoint or an integral, when the derivative that made them is no longer open.
    """
    for function, other in [*_made_before.items()] if _made_before else ():
        own = other.co_consts[-2]
        if function.__code__ is own:
            _made[function] = own
            function.__code__ = other


def has_other_code(function: FunctionType) -> bool:
    """Whether a function has another code than its own just now."""
    return is_exchanged(function.__code__) or waited_for(function.__code__) is not None


def own_code(function: FunctionType) -> CodeType:
    """The code that its author wrote, of a function that may have another one just now."""
    code = function.__code__
    return code.co_consts[-2] if has_other_code(function) else code


def give_back() -> None:
    """Give all functions their own code, if no level is open in any thread."""
    if open_levels or not (looked_at or _made):
        return
    with lending:
        if open_levels:
            return
        for functions, own in _batches:
            exchange(functions, own)
        exchange(_lent, _lent.values())
        if _made:
            made = dict(_made.items())
            # after an interrupt some have their own code again
            others = {each: each.__code__ for each in made if is_exchanged(each.__code__)}
            _made_before.update(others)
            exchange(made, made.values())
            _made.clear()
        _batches.clear()
        _lent.clear()
        if RAN not in looked_at:
            needing_none.update(_opened)
        _opened.clear()
        looked_at.clear()


at_closing.append(give_back)
