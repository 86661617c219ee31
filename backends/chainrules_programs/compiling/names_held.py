"""What a compiled function reads by name, and whether that is still there.

Followed are the user's functions, the variables that they capture, the globals that their code names,
attributes of their objects, the rules that users wrote for functions which the code names, and what
objects of this library keep of all these. Functions and objects count by identity, arrays and
containers of numbers by what they hold: an array of more than `COMPARED` bytes by identity.
"""

import functools
import logging
import random
import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from operator import attrgetter, call, is_
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

from chainrules_programs.recording.rules_on_numbers import generators_in
from chainrules_py.introspection import asks_identity, closure_values, globals_named, names_in
from chainrules_py.table.registry import RuleTable, current_table
from chainrules_py.values.arrays import ArrayLibrary
from chainrules_py.values.structure import attribute_values
from chainrules_py.values.wrappers import wrapped_parts
from chainrules_tape.core.reached_code import (
    attributes_of,
    bases_of,
    content_of,
    is_users_function,
)
from chainrules_tape.core.saved_state import entries_and_keys, state_bytes, state_of
from chainrules_tape.refusals.code_owners import is_own, is_users

COMPARED = 2**16
MOST = 2_000  # objects, of which those of installed classes are followed
DEEPEST = 3  # containers in containers
ABSENT = object()
_MADE_OF = ("function", "of", "__wrapped__")
_HOLDING = (list, tuple, set, deque, dict, defaultdict, OrderedDict)
_CONTAINERS = (np.ndarray, *_HOLDING)
_EMPTY = CellType()
_OF_FUNCTIONS = tuple(map(attrgetter, ("__code__", "__defaults__", "__kwdefaults__")))
_read: Any = call  # whose arguments have no classes for pyright
GLOBAL = (np.random.mtrand._rand, random._inst)


class Names:
    """The names that functions read, each with what it held."""

    def __init__(self, function, arguments: Iterable[Any] = ()) -> None:
        # what reads variables, their names or cells, their values, and what they are called
        self.entries: list[tuple[Callable[[Any], Any], Any, Any, str]] = []
        # classes and sizes of objects, contents of arrays and containers
        self.compared: list[tuple[Callable[[Any], Any], Any, Any, str]] = []
        self.named: set[str] = set()  # all names in the users' code
        self.revisions: list[tuple[RuleTable, int]] = []
        self.generators: list[Any] = []
        self._seen: dict[int, Any] = {}
        self._tables: list[RuleTable] = [current_table.get()]
        self._called: list[Any] = []  # functions, which may have rules
        self._asks_identity = False
        self._follow(function, "the function")
        self._follow_all(arguments, "an argument")
        self._arrays = {id(x) for x in self._seen.values() if type(x) is np.ndarray}
        self._columns = self._of_entries()

    def _of_entries(self) -> Any:
        return [[each[k] for each in self.entries] for k in range(3)]

    def changed(self) -> str | None:
        """The first name that holds something else; None where all is as it was."""
        if not hold_the_same(*self._columns):
            return next(each[-1] for each in self.entries if not hold_the_same(*zip(each[:3])))
        for table, revision in self.revisions:
            if table.revision != revision:
                return "the table of rules"
        for ask, x, known, name in self.compared:
            if ask(x) != known:
                return name
        return None

    def tell_objects_apart(self, leaves: list[Any]) -> bool:
        """Whether functions ask what is one object, and an array is given twice, or read by name, too."""
        if not self._asks_identity:
            return False
        arrays = [id(x) for x in leaves if type(x) is np.ndarray]
        return len(set(arrays)) < len(arrays) or not self._arrays.isdisjoint(arrays)

    def states(self) -> list[tuple[Any, Any]]:
        """NumPy's and Python's global generators, and those that are captured, with their states."""
        return states_of([*GLOBAL, *self.generators])

    def leave_what_changed(self) -> None:
        """Drop what the function itself has changed while it ran, such as a counter.

        The tables of rules are those of now, which a run may have loaded.
        """
        self.revisions = [(table, table.revision) for table in self._tables]
        self.entries = [each for each in self.entries if hold_the_same(*zip(each[:3]))]
        self._columns = self._of_entries()
        self.compared = [each for each in self.compared if each[0](each[1]) == each[2]]

    def sentences(self) -> list[str]:
        """Say what is asked before each call."""
        names = [name for *_, name in (*self.entries, *self.compared)]
        return [f"{name} is the same" for name in dict.fromkeys(names)]

    def _follow(self, x, text: str) -> None:
        if id(x) in self._seen:
            return
        self._seen[id(x)] = x
        cls = type(x)
        if not answers(x):
            return
        self._follow_called(x)
        if cls in _CONTAINERS:
            if cls is not tuple:
                self._compare(compared_contents, x, text)
            self._follow_all(container_parts(x), text)
        elif isinstance(x, functools.partial):
            self._follow_all((x.func, *x.args), text)
            for name in x.keywords:
                self._note(x.keywords.get, name, name)
        elif cls is slice:
            self._follow_all((x.start, x.stop, x.step), text)
        elif isinstance(x, logging.Logger):  # no effect is a program's
            return
        elif isinstance(x, ModuleType):  # that a function captures
            self._follow_module(x, frozenset(self.named))
        elif parts := wrapped_parts(x):
            self._follow_all(parts, text)
        elif isinstance(x, RuleTable):
            self._tables.append(x)
            for function in list(self._called):
                self._follow_rules(function, [x])
        elif isinstance(x, np.errstate):
            self.named.add("errstate")
        elif generators := generators_in([x]):
            self.generators += generators
        elif is_own(cls.__module__) or is_own(getattr(x, "__module__", None)):
            self._follow_own(x, text)
        elif cls is FunctionType:
            self._follow_function(x)
        elif isinstance(x, type):
            self._follow_class(x)
        elif is_users(cls.__module__):
            self._compare(type, x, text)
            if cls.__dictoffset__:
                self._compare(len, vars(x), text)
            self._follow(cls, cls.__name__)
            self._note_attributes(x)
        elif hasattr(x, "__wrapped__"):
            self._follow(x.__wrapped__, text)
        elif type(getattr(x, "__dict__", None)) is dict and len(self._seen) < MOST:
            self._note_attributes(x)  # of an installed class

    def _follow_called(self, x) -> None:
        if callable(x) and type(x).__hash__ is not None:
            self._called.append(x)
            self._follow_rules(x, self._tables)

    def _follow_all(self, parts: Iterable[Any], text: str) -> None:
        for part in parts:
            self._follow(part, text)

    def _follow_function(self, f: FunctionType) -> None:
        is_own_code = is_users_function(f)
        names = names_in(f.__code__) if is_own_code else frozenset()
        self.named |= names
        self._asks_identity |= is_own_code and asks_identity(f.__code__)
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            if cell != _EMPTY:
                self._note(content_of, cell, name)
        self._note_attributes(f)
        if not is_own_code:
            return
        self.entries += [(read, f, read(f), f.__name__) for read in _OF_FUNCTIONS]
        self._follow_all(f.__defaults__ or (), f.__name__)
        self._follow(f.__kwdefaults__, f.__name__)
        for name in globals_named(f.__code__):  # one of Python's may get another meaning
            self._note(f.__globals__.get, name, name)
        for place in (f.__globals__, sys.modules):  # imported in its body, perhaps
            for name in names & place.keys():
                if type(place[name]) is ModuleType:
                    self._follow_module(place[name], names)

    def _follow_module(self, module: ModuleType, names: frozenset[str]) -> None:
        inside = vars(module)
        for name in names & inside.keys():
            if is_users(module.__name__):
                self._note(inside.get, name, name)
            elif callable(inside[name]):
                self._follow(inside[name], name)

    def _follow_rules(self, f, tables: Iterable[RuleTable]) -> None:
        """Follow what the rules that users wrote for a function were made of."""
        try:
            hash(f)
        except TypeError:  # no table has rules for such an object
            return
        for table in tables:
            for rule in table.rules(f):
                if rule.since or rule.depth:
                    self._follow(rule, f"the rule at {rule.where}")

    def _follow_own(self, x, text: str) -> None:
        """Follow what an object of the library's keeps; its containers may be caches, and are not
        compared.
        """
        for part in kept_by(x):
            if type(part) not in (list, dict, tuple, set):
                self._follow(part, text)
            elif id(part) not in self._seen:
                self._seen[id(part)] = part
                self._follow_own(part, text)

    def _follow_class(self, cls: type) -> None:
        if is_users(cls.__module__):
            self._compare(bases_of, cls, cls.__name__)
            self._compare(len, vars(cls), cls.__name__)
            self._note_attributes(cls)
        for base in cls.__mro__[1:]:
            self._follow(base, base.__name__)

    def _note_attributes(self, x) -> None:
        """Note what a function, a class or an object has."""
        for read, name in attributes_of(x):
            found = read(name)
            if not name.startswith("__") or name == "__call__":
                self._note(read, name, name)
            elif type(found) is FunctionType:  # an operator
                self.entries.append((read, name, found, name))

    def _compare(self, ask: Callable[[Any], Any], x, text: str) -> None:
        found = ask(x)
        if found is not ABSENT:
            self.compared.append((ask, x, found, text))

    def _note(self, read: Callable[[Any], Any], variable, name: str) -> None:
        found = read(variable)
        self.entries.append((read, variable, found, name))
        self._follow(found, name)


def hold_the_same(readers: Iterable[Any], variables: Iterable[Any], values: Iterable[Any]) -> bool:
    """Whether what reads some variables finds these values: in 0.03 us each."""
    try:
        return all(map(is_, map(_read, readers, variables), values))
    except (AttributeError, ValueError):  # it is not there any more
        return False


def answers(x) -> bool:
    """Whether an object says what it has: what stands for a module that is absent may raise."""
    try:
        getattr(x, "__self__", None)
    except Exception:
        return False
    return True


def kept_by(x) -> Iterable[Any]:
    """What an object or a container of the library's keeps: variables, attributes, parts."""
    cls = type(x)
    if cls is FunctionType:
        return closure_values(x).values()
    if cls in _CONTAINERS:
        return container_parts(x)
    if isinstance(x, type | ArrayLibrary):
        return ()
    if hasattr(x, "__wrapped__"):  # it may have programs, or a scope, with all that is in it
        return [getattr(x, name, None) for name in _MADE_OF]
    return attribute_values(x)


def states_of(generators: Iterable[Any]) -> list[tuple[Any, Any]]:
    """What holds the state of each generator of random numbers, with that state."""
    holders = [getattr(each, "bit_generator", each) for each in generators]
    return [(holder, told_state(holder)) for holder in holders]


def told_state(holder) -> Any:
    """The state of a generator of random numbers; None of one that tells none."""
    try:
        return state_of(holder)
    except Exception:  # whatever a generator of somebody else's raises
        return None


def have_drawn(states: Iterable[tuple[Any, Any]]) -> bool:
    """Whether generators may have drawn since they were in these states."""
    return any(
        state is None or state_bytes(told_state(holder)) != state_bytes(state)
        for holder, state in states
    )


def container_parts(x) -> Any:
    """The parts of a container."""
    if type(x) is np.ndarray:
        return ()
    return tuple(x.values()) if isinstance(x, dict) else tuple(x)


def compared_contents(x, depth: int = 0) -> Any:
    """What an array or a container holds, to be compared; ABSENT where that takes too long."""
    cls = type(x)
    if cls is np.ndarray:
        return (x.shape, x.tobytes()) if x.nbytes <= COMPARED else ABSENT
    if depth > DEEPEST or cls not in _HOLDING:
        return id(x) if cls not in (int, float, complex, str, bool) else (cls, repr(x))
    return cls, [compared_contents(part, depth + 1) for part in entries_and_keys(x)]
