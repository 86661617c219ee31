"""What a compiled function reads by name, and whether that is still there.

Followed are the user's functions, the variables that they capture, the globals that their code names,
attributes of their objects, the rules that users wrote for functions which the code names, and what
objects of this library keep of all these. Functions and objects count by identity, arrays and
containers of numbers by what they hold: an array of more than `COMPARED` bytes by identity.
"""

import builtins
import functools
import logging
import random
import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from chainrules_programs.recording.rules_on_numbers import generators_in
from chainrules_py.introspection import closure_values, globals_named, names_in
from chainrules_py.table.registry import RuleTable, current_table
from chainrules_py.values.arrays import ArrayLibrary
from chainrules_py.values.structure import attribute_values, slot_names
from chainrules_py.values.wrappers import wrapped_parts
from chainrules_tape.core.saved_state import state_bytes, state_of
from chainrules_tape.refusals.code_owners import is_own, is_users

COMPARED = 2**16
MOST = 2_000  # objects, of which those of installed classes are followed
DEEPEST = 3  # containers in containers
ABSENT = object()
_MADE_OF = ("function", "of", "__wrapped__")
_BUILTINS = frozenset(vars(builtins))
_DICTS = (dict, defaultdict, OrderedDict)
_HOLDING = (list, tuple, set, deque, *_DICTS)
_CONTAINERS = (np.ndarray, *_HOLDING)
GLOBAL = (np.random.mtrand._rand, random._inst)


class Names:
    """The names that functions read, each with what it held."""

    def __init__(self, function, arguments: Iterable[Any] = ()) -> None:
        self.entries: list[tuple[Any, str, Any]] = []  # of namespaces, and what looks like them
        # forms of functions and objects, contents of arrays and containers
        self.compared: list[tuple[Callable[[Any], Any], Any, Any, str]] = []
        self.named: set[str] = set()  # all names in the users' code
        self.revisions: list[tuple[RuleTable, int]] = []
        self.generators: list[Any] = []
        self._seen: dict[int, Any] = {}
        self._tables: list[RuleTable] = [current_table.get()]
        self._called: list[Any] = []  # functions, which may have rules
        self._follow(function, "the function")
        self._follow_all(arguments, "an argument")

    def changed(self) -> str | None:
        """The first name that holds something else; None where all is as it was."""
        for space, name, value in self.entries:
            if space.get(name, ABSENT) is not value:
                return name
        for table, revision in self.revisions:
            if table.revision != revision:
                return "the table of rules"
        for ask, x, known, name in self.compared:
            if ask(x) != known:
                return name
        return None

    def states(self) -> list[tuple[Any, Any]]:
        """NumPy's and Python's global generators, and those that are captured, with their states."""
        return states_of([*GLOBAL, *self.generators])

    def leave_what_changed(self) -> None:
        """Drop what the function itself has changed while it ran, such as a counter.

        The tables of rules are those of now, which a run may have loaded.
        """
        self.revisions = [(table, table.revision) for table in self._tables]
        self.entries = [each for each in self.entries if each[0].get(each[1], ABSENT) is each[2]]
        self.compared = [each for each in self.compared if each[0](each[1]) == each[2]]

    def sentences(self) -> list[str]:
        """Say what is asked before each call."""
        named = [name for _, name, _ in self.entries]
        held = [name for *_, name in self.compared]
        return [f"{name} is the same" for name in dict.fromkeys([*named, *held])]

    def _follow(self, x, text: str) -> None:
        if id(x) in self._seen:
            return
        self._seen[id(x)] = x
        cls = type(x)
        if not answers(x):
            return
        self._follow_called(x)
        if cls in _CONTAINERS:
            self._compare(compared_contents, x, text)
            self._follow_all(container_parts(x), text)
        elif isinstance(x, functools.partial):
            self._follow_all((x.func, *x.args), text)
            for name, part in x.keywords.items():
                self._note(x.keywords, name, part)
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
            self._follow_function(x, text)
        elif isinstance(x, type):
            self._follow_class(x)
        elif is_users(cls.__module__):
            self._compare(form_of_object, x, text)
            self._follow(cls, cls.__name__)
            self._follow_attributes(x, cls)
        elif hasattr(x, "__wrapped__"):
            self._follow(x.__wrapped__, text)
        elif type(getattr(x, "__dict__", None)) is dict and len(self._seen) < MOST:
            self._note_all(vars(x), vars(x))  # of an installed class

    def _follow_called(self, x) -> None:
        if callable(x) and type(x).__hash__ is not None:
            self._called.append(x)
            self._follow_rules(x, self._tables)

    def _follow_all(self, parts: Iterable[Any], text: str) -> None:
        for part in parts:
            self._follow(part, text)

    def _follow_function(self, f: FunctionType, text: str) -> None:
        is_own_code = is_users(f.__globals__.get("__name__"))
        names = names_in(f.__code__) if is_own_code else frozenset()
        self.named |= names
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            space = Cell(cell)
            content = space.get(name, ABSENT)
            if content is not ABSENT:  # filled
                self._note(space, name, content)
        self._follow_all(f.__defaults__ or (), text)
        if f.__kwdefaults__:
            self._follow(f.__kwdefaults__, text)
        self._note_all(vars(f), vars(f))
        for part in (f.__code__, f.__defaults__):  # held, so that no others get their identities
            self._seen[id(part)] = part
        self._compare(form_of_object, f, f.__name__)
        if is_own_code:
            self._follow_globals(f.__globals__, globals_named(f.__code__), names)
            for name in names & sys.modules.keys():  # imported in its body, perhaps
                self._follow_module(sys.modules[name], names)

    def _follow_globals(
        self, space: dict[str, Any], read: frozenset[str], names: frozenset[str]
    ) -> None:
        for name in (read & _BUILTINS) - space.keys():  # somebody may give it another meaning
            self.entries.append((space, name, ABSENT))
        for name in read & space.keys():
            found = space[name]
            self._note(space, name, found)
            if type(found) is ModuleType:
                self._follow_module(found, names)

    def _follow_module(self, module: ModuleType, names: frozenset[str]) -> None:
        inside = vars(module)
        for name in names & inside.keys():
            if is_users(module.__name__):
                self._note(inside, name, inside[name])
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
            self._compare(form_of_class, cls, cls.__name__)
            self._note_all(vars(cls), vars(cls))
        for base in cls.__mro__[1:]:
            self._follow(base, base.__name__)

    def _follow_attributes(self, x, cls: type) -> None:
        """Note what an object has, and what it has not and its class has."""
        self._note_all(Slots(x), slot_names(cls))
        own = getattr(x, "__dict__", None)
        if type(own) is dict:
            bases = [base for base in cls.__mro__ if is_users(base.__module__)]
            self._note_all(own, {*own, *[name for base in bases for name in vars(base)]})

    def _note_all(self, space: Any, names: Iterable[str]) -> None:
        for name in list(names):
            found = space.get(name, ABSENT)
            if not name.startswith("__") or name == "__call__":
                self._note(space, name, found)
            elif type(found) is FunctionType:  # an operator
                self.entries.append((space, name, found))

    def _compare(self, ask: Callable[[Any], Any], x, text: str) -> None:
        found = ask(x)
        if found is not ABSENT:
            self.compared.append((ask, x, found, text))

    def _note(self, space, name: str, found) -> None:
        self.entries.append((space, name, found))
        self._follow(found, name)


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


def form_of_object(x) -> tuple[Any, ...]:
    """What a function or an object is beside its attributes: its code, or its class, and how many
    attributes it has.
    """
    if type(x) is FunctionType:
        return id(x.__code__), id(x.__defaults__), id(x.__kwdefaults__)
    return type(x), len(getattr(x, "__dict__", ()))


def form_of_class(x: type) -> tuple[Any, ...]:
    """The bases of a class, and how many attributes it has."""
    return x.__bases__, len(vars(x))


class Slots:
    """The attributes that an object has in slots, by name."""

    def __init__(self, x) -> None:
        self.x = x

    def get(self, name: str, default) -> Any:
        """Read an attribute."""
        return getattr(self.x, name, default)


class Cell:
    """The variable that a function captures, by its name."""

    def __init__(self, cell) -> None:
        self.cell = cell

    def get(self, name: str, default) -> Any:
        """Read the variable."""
        try:
            return self.cell.cell_contents
        except ValueError:  # nothing was assigned yet
            return default


def container_parts(x) -> Any:
    """The parts of a container."""
    if type(x) is np.ndarray:
        return ()
    return tuple(x.values()) if type(x) in _DICTS else tuple(x)


def compared_contents(x, depth: int = 0) -> Any:
    """What an array or a container holds, to be compared; ABSENT where that takes too long."""
    cls = type(x)
    if cls is np.ndarray:
        return (x.shape, x.tobytes()) if x.nbytes <= COMPARED else ABSENT
    if depth > DEEPEST or cls not in _HOLDING:
        return id(x) if cls not in (int, float, complex, str, bool) else (cls, repr(x))
    keys = tuple(x) if cls in _DICTS else ()
    return cls, keys, tuple([compared_contents(part, depth + 1) for part in container_parts(x)])
