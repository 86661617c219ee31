"""Which code of the user's a function reaches, and whether that is other code in a later call.

`held_or_named_by` leads from a function to what it holds (its closure, its defaults, attributes,
entries of containers) and to what its code names. `watched_from` lists the variables on these paths that lead to
functions, or may do so later; `name_others` asks whether they lead elsewhere now. What is found by
a computed name, through a weak reference or a context variable is not seen.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice, repeat
from operator import attrgetter
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any
from weakref import ref

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.introspection import names_in
from chainrules_py.values.structure import slot_names
from chainrules_py.values.wrappers import wrapped_names, wrapped_parts
from chainrules_tape.core.saved_state import PLAIN, reached
from chainrules_tape.refusals.code_owners import is_users

Reader = Callable[[Any, Any], Any]
Variable = tuple[Reader, Any]  # what reads it, and its name or number
# the number of the value that has a variable, the variable, and what gives its value
Step = tuple[int, Reader, Any, Callable[[], Any] | None]
# steps to variables; the numbers of the values that are containers, and their lengths; nothing, where
# nothing is watched
Watched = tuple[()] | tuple[list[Step], tuple[int, ...], list[int]]

MOST = 50  # functions that are looked at
_EMPTY = CellType()
_NUMBERS = PLAIN - {type(None), np.ufunc}  # and text
_CONTAINERS = dict, list, tuple, set, frozenset, deque
_SIZED = dict, list, set, deque
_stored: Reader = object.__getattribute__
content_of, bases_of = map(attrgetter, ("cell_contents", "__bases__"))
_OF_LIBRARIES = frozenset({FunctionType, BuiltinFunctionType, type, type(np.sum), np.ufunc})


def is_users_function(x) -> bool:
    """Whether something is a function that the user has written."""
    return type(x) is FunctionType and is_users(x.__globals__.get("__name__"))


def is_for_engines(code: CodeType) -> bool:
    """Whether a code is that of a method for engines, which sees traced values as they are."""
    return code.co_name.startswith("__chainrules_")


def is_written(x) -> bool:
    """Whether the user has written a function in a file or a cell, not a program, as dataclasses do."""
    is_in_no_file = x.__code__.co_filename[:1] == "<"
    return is_users_function(x) and not (is_in_no_file and "__file__" in x.__globals__)


def is_users_own(x) -> bool:
    """Whether a module or a class is the user's."""
    return is_users(x.__name__ if type(x) is ModuleType else x.__module__)


def code_or_class(x) -> Any:
    """The code of a function, a class or a module: what decides which code runs; None for all else."""
    if type(x) is FunctionType:
        return x.__code__
    return x if issubclass(type(x), type | ModuleType) else None


def held_by(x) -> Iterable[Any]:
    """What a function, a wrapper, a container or an object holds: others of its code or class may
    hold something else.
    """
    cls = type(x)
    if cls is FunctionType:
        captured = [each.cell_contents for each in x.__closure__ or () if each != _EMPTY]
        given = [*(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values()]
        return [*captured, *given, *x.__dict__.values()]
    is_place = cls is ModuleType or issubclass(cls, type)
    return () if is_place else [read(x, name) for read, name in variables_of(x)]


def holds_code(x) -> bool:
    """Whether the class or the attributes of an object may be code of the user's."""
    cls = type(x)
    return callable(x) or cls is SimpleNamespace or is_users(cls.__module__)


def held_or_named_by(x, names: frozenset[str] | None = None) -> Iterable[Any]:
    """What a thing holds, and what code of the user's names, or has in a class or a module: all, or
    what has one of some names, and operators.
    """
    if type(x) is FunctionType:
        own = names_in(x.__code__) if is_users_function(x) else ()
        imported = filter(None, map(sys.modules.get, own))  # in its body, perhaps
        return [*held_by(x), *map(x.__globals__.get, own), *imported]
    return [read(x, name) for read, name in variables_of(x, names)]


def is_code(x) -> bool:
    """Whether something is a class or a function, but one that a program has written."""
    return type(x) is type or (type(x) is FunctionType and is_written(x))


def variables_of(x, names: frozenset[str] | None = None) -> Iterator[Variable]:
    """The variables through which a thing leads to others, or may do so later; of modules and classes,
    all or these with some names, and operators.
    """
    cls = type(x)
    if cls is FunctionType:
        for name in ("__closure__", "__defaults__", "__kwdefaults__"):
            held = getattr(x, name)
            if held and leading(*entries_of(held)):
                yield _stored, name
        if x.__dict__:
            yield _stored, "__dict__"
        if is_written(x):
            yield _stored, "__code__"
    elif cls is CellType:
        yield _stored, "cell_contents"
    elif issubclass(cls, _CONTAINERS):
        if not is_plain(x):
            yield from leading(*entries_of(x))
    elif cls is ModuleType or issubclass(cls, type):
        if is_users_own(x):
            for name, value in vars(x).copy().items():
                is_named = names is None or name in names
                is_meant = is_code(value) if name[:2] == "__" else is_named
                if is_meant and may_lead_on(name, value):
                    yield _stored, name
            if cls is not ModuleType:
                yield _stored, "__dict__"
                yield _stored, "__bases__"
    elif parts := wrapped_names(x):
        for name in parts:
            yield _stored, name
    elif holds_code(x):
        yield _stored, "__class__"
        if cls.__dictoffset__:
            yield _stored, "__dict__"
        for name in slot_names(cls):
            if hasattr(x, name):
                yield _stored, name


def attributes_of(x) -> Iterator[tuple[Callable[[Any], Any], Any]]:
    """The attributes that an object stores, in slots and in its dict."""
    cls = type(x)
    space = object.__getattribute__(x, "__dict__") if cls.__dictoffset__ else {}
    yield from [(space.get, name) for name in [*space]]
    read = partial(getattr, x)
    yield from [(read, name) for name in slot_names(cls) if hasattr(x, name)]


def entries_of(x) -> tuple[Reader, dict[Any, Any]]:
    """What reads the entries of a container, and the first ones, by their keys or numbers."""
    if isinstance(x, dict):
        return dict.get, dict(islice(dict.items(x), MOST))
    entries = dict(enumerate(islice(x, MOST)))
    if isinstance(x, tuple):
        return tuple.__getitem__, entries
    if isinstance(x, list | deque):
        return (list if isinstance(x, list) else deque).__getitem__, entries
    return listed, entries


def listed(x, k: int) -> Any:
    """The k-th entry of a set."""
    return [*x][k]


def leading(read: Reader, values: dict[Any, Any]) -> list[Variable]:
    """The variables that may lead on, among some with their values."""
    found = []
    for name, value in values.items():
        if may_lead_on(name, value):
            found.append((read, name))
    return found


def is_plain(x) -> bool:
    """Whether something is a number, an array or the like, or a container of numbers: an empty one
    may get functions.
    """
    cls = type(x)
    if cls in (dict, list, tuple):
        entries = islice(x.values() if cls is dict else x, MOST)
        return bool(x) and _NUMBERS.issuperset(map(type, entries))
    return cls in PLAIN


def may_lead_on(variable, value) -> bool:
    """Whether a variable may name code of the user's in a later call: what is imported by its name
    from a library stays as it is.
    """
    cls = type(value)
    if cls is CellType:
        return value != _EMPTY and may_lead_on(None, value.cell_contents)
    if cls is ModuleType:
        return is_users_own(value)
    if cls in _OF_LIBRARIES:
        has_its_name = type(variable) is str and value.__name__ == variable
        return not has_its_name or is_users(getattr(value, "__module__", "numpy"))
    if issubclass(cls, _CONTAINERS):
        return not is_plain(value)
    return value is None or holds_code(value) or bool(wrapped_parts(value))


def watched_from(function: Function) -> Watched:
    """The variables that lead from a function to the user's functions, or may do so later: to look
    whether they still do takes 0.1 us each.
    """
    is_place = issubclass(type(function), type | ModuleType)
    names = frozenset(dir(function) if is_place and is_users_own(function) else ())
    own: dict[int, tuple[FunctionType, frozenset[str]]] = {}
    count = -1
    while len(names) > count:  # of a module, what is named by what is found there, too
        count = len(names)
        for each in reached([function], partial(held_or_named_by, names=names), 10 * MOST):
            if id(each) not in own and is_users_function(each):
                own[id(each)] = each, names_in(each.__code__)
                names |= own[id(each)][1] if is_written(each) else frozenset()
    return Watching(function, names, own).watched()


class Watching:
    """Writes down by which variables things are reached from a function, so that they can be read
    from any other function of its code.

    What they held is known by weak references: it may hold the function itself, and would stay for
    good if it were kept here.
    """

    def __init__(self, function: Function, names: frozenset[str], own: dict[int, Any]) -> None:
        self.names, self.own = names, own
        self.values: list[Any] = [function, sys.modules]
        self.steps: list[Step] = []
        self.lengths: dict[int, int] = {}
        self.spaces: dict[int, int] = {}  # where global variables are among the values, by identity
        self.stores: set[int] = set()  # the dicts of objects, by identity

    def watched(self) -> Watched:
        """Follow all variables, as far as they lead."""
        opened, leads = {id(sys.modules)}, False
        for place, x in enumerate(self.values):  # which grow
            if type(x) in PLAIN or id(x) in opened or id(x) in self.spaces:
                continue
            opened.add(id(x))
            is_store = id(x) in self.stores
            for read, name in leading(dict.get, x) if is_store else variables_of(x, self.names):
                self.step(place, read, name)
                leads = leads or name != "__code__"
            if id(x) in self.own:
                leads = self.open_globals(place, *self.own[id(x)]) or leads
        if not leads:
            return ()  # a function that names no other costs nothing
        return self.steps, tuple(self.lengths), [*self.lengths.values()]

    def step(self, place: int, read: Reader, name) -> None:
        """Note a variable of what is at a place, and take its value among those that are followed."""
        value: Any = read(self.values[place], name)
        self.steps.append((place, read, name, given_by(value)))
        if type(value) is dict and name == "__dict__":
            self.stores.add(id(value))
        if name == "__dict__" or (issubclass(type(value), _SIZED) and not is_plain(value)):
            self.lengths[len(self.values)] = len(value)
        self.values.append(value)

    def open_globals(self, place: int, f: FunctionType, names: frozenset[str]) -> bool:
        """Note the global variables that a function names, and the modules that it may import."""
        space, leads = f.__globals__, False
        for name in names & space.keys():
            if may_lead_on(name, space[name]):
                leads = True
                if id(space) not in self.spaces:
                    self.spaces[id(space)] = len(self.values)
                    self.step(place, _stored, "__globals__")
                self.step(self.spaces[id(space)], dict.get, name)
        for name in names & sys.modules.keys():
            module = sys.modules[name]  # None says that nobody may import it
            if module is not None and is_users_own(module):
                leads = True
                self.step(1, dict.get, name)
        return leads


def given_by(value) -> Any:
    """What gives a value for as long as it lives: a weak reference, or the value itself, if it is a
    library's; None where nothing does.
    """
    if value is None:
        return type(None)
    try:
        return ref(value)
    except TypeError:
        return repeat(value).__next__ if type(value) in _OF_LIBRARIES else None


def name_others(watched: Watched, function: Any) -> bool:
    """Whether variables that led to the user's functions, or might do so later, lead to others from a
    function of the same code.
    """
    if not watched:
        return False
    steps, places, lengths = watched
    values = [function, sys.modules]
    try:
        for place, read, name, given in steps:
            value = read(values[place], name)
            if given is not None and value is not given() and not is_plain(value):
                return True
            values.append(value)
        return list(map(len, map(values.__getitem__, places))) != lengths
    except (AttributeError, IndexError, TypeError, ValueError):  # it is not there any more
        return True
