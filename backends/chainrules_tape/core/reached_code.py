"""Which code of the user's a function reaches, and whether that is other code in a later call.

`reached` goes from a function to what it holds (its closure, its defaults, attributes, entries of
containers) and to what its code names. `watched_from` lists the variables on these paths that lead to
functions, or may do so later; `name_others` asks whether they lead elsewhere now. What is found by
a computed name, through a weak reference or a context variable is not seen.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from operator import attrgetter, call, is_
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.introspection import names_in
from chainrules_py.values.structure import slot_names
from chainrules_py.values.wrappers import wrapped_parts
from chainrules_tape.core.saved_state import UNCHANGED
from chainrules_tape.refusals.code_owners import is_users

Variable = tuple[Callable[[Any], Any], Any]  # what reads it, and its name or number
# what reads them, their names or numbers, and their values; nothing, where nothing is watched
Watched = tuple[()] | tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]

MOST = 50  # functions that are looked at
_EMPTY = CellType()
PLAIN = UNCHANGED | {np.ndarray}
_NUMBERS = PLAIN - {type(None), np.ufunc}  # and text
_CONTAINERS = dict, list, tuple, set, frozenset, deque
_read: Any = call  # whose arguments have no classes for pyright
content_of, code_of, bases_of = map(attrgetter, ("cell_contents", "__code__", "__bases__"))
_OF_LIBRARIES = frozenset({FunctionType, BuiltinFunctionType, type, type(np.sum), np.ufunc})


def reached(function: Any, parts_of: Callable[[Any], Iterable[Any]], most: int) -> list[Any]:
    """What is reached from a function by the parts of each thing, but for numbers and the like."""
    found: list[Any] = [function]
    seen = {id(function)}
    for each in found:  # which grows
        for part in parts_of(each):
            if type(part) not in PLAIN and id(part) not in seen:
                seen.add(id(part))
                found.append(part)
        if len(found) > most:
            break
    return found


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
    if issubclass(cls, _CONTAINERS):
        return islice(dict.values(x) if issubclass(cls, dict) else x, MOST)
    if cls is ModuleType or issubclass(cls, type):
        return ()
    if parts := wrapped_parts(x):
        return parts
    return [*[read(name) for read, name in attributes_of(x)], cls] if holds_code(x) else ()


def holds_code(x) -> bool:
    """Whether the class or the attributes of an object may be code of the user's."""
    cls = type(x)
    return callable(x) or cls is SimpleNamespace or is_users(cls.__module__)


def held_or_named_by(x, names: frozenset[str] | None = None) -> Iterable[Any]:
    """What a thing holds, and what code of the user's names, or has in a class or a module: all, or
    what has one of some names, and operators.
    """
    cls = type(x)
    if cls is FunctionType:
        own = names_in(x.__code__) if is_users_function(x) else ()
        imported = filter(None, map(sys.modules.get, own))  # in its body, perhaps
        return [*held_by(x), *map(x.__globals__.get, own), *imported]
    if cls is ModuleType or issubclass(cls, type):
        if not is_users_own(x):
            return ()
        named = [
            value
            for name, value in vars(x).copy().items()
            if names is None or name in names or name[:2] == "__"
        ]
        return [
            part
            for part in [*getattr(x, "__bases__", ()), *named]
            if is_code(part) or wrapped_parts(part)
        ]
    return held_by(x)


def is_code(x) -> bool:
    """Whether something is a class or a function, but one that a program has written."""
    return type(x) is type or (type(x) is FunctionType and is_written(x))


def variables_of(x, names: frozenset[str]) -> Iterator[Variable]:
    """The variables through which a thing leads to others; of modules and classes, these with some
    names, and operators.
    """
    cls = type(x)
    if cls is FunctionType:
        for cell in x.__closure__ or ():
            if cell != _EMPTY:
                yield content_of, cell
        given = "__defaults__", "__kwdefaults__"
        yield from [(x.__getattribute__, name) for name in given if getattr(x, name)]
        yield from entries_of(x.__dict__) if x.__dict__ else ()
        if is_users_function(x):
            space = x.__globals__
            yield from [(space.get, name) for name in names_in(x.__code__) if name in space]
    elif issubclass(cls, dict | list | deque):
        if not is_plain(x):
            yield from entries_of(x)
    elif cls is ModuleType or issubclass(cls, type):
        if is_users_own(x):
            space = vars(x)
            yield from [
                (space.get, name)
                for name, value in [*space.items()]
                if name in names or (name[:2] == "__" and is_code(value))
            ]
            if cls is not ModuleType:
                yield len, space
                yield bases_of, x
    elif not wrapped_parts(x) and holds_code(x):
        yield type, x
        yield from attributes_of(x)
        if cls.__dictoffset__:
            yield len, object.__getattribute__(x, "__dict__")


def attributes_of(x) -> Iterator[Variable]:
    """The attributes that an object stores, in slots and in its dict."""
    cls = type(x)
    space = object.__getattribute__(x, "__dict__") if cls.__dictoffset__ else {}
    yield from [(space.get, name) for name in [*space]]
    read = partial(getattr, x)
    yield from [(read, name) for name in slot_names(cls) if hasattr(x, name)]


def entries_of(x) -> list[Variable]:
    """The length and the first entries of a container."""
    if isinstance(x, dict):
        read: Any = dict.get.__get__(x)
        keys: Any = list(islice(x, MOST))
    else:
        read = (list if isinstance(x, list) else deque).__getitem__.__get__(x)
        keys = range(min(len(x), MOST))
    return [(len, x), *[(read, key) for key in keys]]


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
    whether they still do takes 0.03 us each.
    """
    is_place = issubclass(type(function), type | ModuleType)
    names = frozenset(dir(function) if is_place and is_users_own(function) else ())
    found, own, count = [], [], -1
    while len(names) > count:  # of a module, what is named by what is found there, too
        count = len(names)
        found = reached(function, partial(held_or_named_by, names=names), 10 * MOST)
        own = [each for each in found if type(each) is FunctionType and is_written(each)]
        names = names.union(*[names_in(each.__code__) for each in own])
    watched = [
        (read, name, read(name))
        for each in found
        for read, name in variables_of(each, names)
        if read is len or may_lead_on(name, read(name))
    ]
    if not watched:
        return ()  # a function that names no other costs nothing
    watched += [(code_of, each, each.__code__) for each in own]
    readers, variables, values = zip(*watched, strict=True)
    return readers, variables, values


def name_others(watched: Watched) -> bool:
    """Whether variables that led to the user's functions, or might do so later, lead to others now."""
    if not watched:
        return False
    readers, variables, values = watched
    try:
        if all(map(is_, map(_read, readers, variables), values)):
            return False
        return any(map(leads_elsewhere, readers, variables, values))
    except (AttributeError, IndexError, ValueError):  # it is not there any more
        return True


def leads_elsewhere(read: Callable[[Any], Any], variable, value) -> bool:
    """Whether what is found in the place of something else is not just another number."""
    found = read(variable)
    return found != value if read is len else found is not value and not is_plain(found)
