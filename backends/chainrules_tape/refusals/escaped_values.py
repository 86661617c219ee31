"""The cache, attribute or variable that keeps a traced value beyond the call that traced it.

Only looked for when the error is raised: the garbage collector says who refers to the value, and
the source of the module which lines assign to what refers to it.

All objects of the process may be met here: modules that import what they are asked for, attributes
that warn, classes that raise. So nothing is asked by an attribute that somebody may have written.
Types are told by `type`, and dictionaries are read by the descriptors of Python itself.
"""

import ast
import functools
import linecache
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import lru_cache
from itertools import chain
from types import (
    FrameType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    ModuleType,
)
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.introspection import referrers

_IS_HEAP = 1 << 9  # the flag of classes that are made in Python
_LARGE = 1000  # entries: of larger arrays of objects none is looked at
_DEPTH = 5  # containers inside containers
_WIDTH = 50  # containers of one depth that are looked at
_FILLING = frozenset(
    {"append", "add", "extend", "insert", "setdefault", "update", "appendleft", "push", "set"}
)

Ids = Mapping[int, int]  # the distance of each holder, by its identity

variables_of: Callable[[Any], dict[str, Any]] = vars(ModuleType)["__dict__"].__get__
_members_of: Callable[[type], Mapping[str, Any] | None] = vars(type)["__dict__"].__get__
bases_of: Callable[[type], tuple[type, ...]] = vars(type)["__mro__"].__get__
flags_of: Callable[[type], int] = vars(type)["__flags__"].__get__
qualified_name_of: Callable[[type], str] = vars(type)["__qualname__"].__get__
_CachedFunction = type(lru_cache(abs))


def members_of(cls: type) -> Mapping[str, Any]:
    """The attributes that a class has itself, as far as somebody has used it."""
    return _members_of(cls) or {}


class Place(NamedTuple):
    """The name of something that keeps a value, and the lines that may have put it there.

    `distance` is the number of what it names among the holders of the value, nearest first.
    """

    name: str
    lines: str
    distance: int = 0

    def __str__(self) -> str:
        return f"{self.name}, filled at {self.lines}" if self.lines else self.name


def kept_in(value) -> Place | None:
    """Find the variable, attribute or cache nearest to a traced value that keeps it."""
    reached = holders_of(value)
    ids = {id(holder): distance for distance, holder in reversed(list(enumerate(reached)))}
    in_modules = (
        place for module in sys.modules.copy().values() for place in in_module(module, ids)
    )
    elsewhere = (place for holder in reached for place in in_object(holder, ids))
    places = chain(in_modules, elsewhere)
    return min(places, key=lambda place: place.distance, default=None)


def holders_of(value) -> list[Any]:
    """A traced value, its other handles, and what refers to them, nearest first."""
    handles = [
        x
        for x in referrers(value.level)
        if type(x) is type(value) and is_same(x.value, value.value)
    ]
    inside = [value, *(x for x in handles if x is not value)]
    reached = list(inside)
    ids = set(map(id, reached))
    for _ in range(_DEPTH):
        own = {id(each) for each in (reached, inside, handles)}
        found = {
            id(each): each for each in referrers(*inside) if id(each) not in own and may_keep(each)
        }
        inside = [each for each in found.values() if id(each) not in ids][:_WIDTH]
        if not inside:
            break
        reached += inside
        ids.update(map(id, inside))
    return reached


def is_same(one, other) -> bool:
    """Whether two values are one, or arrays on the same memory."""
    if type(one) is np.ndarray and type(other) is np.ndarray:
        return np.may_share_memory(one, other)
    return one is other


def may_keep(holder) -> bool:
    """Whether an object that refers to a value outlives the call; frames and our objects do not."""
    cls = type(holder)
    if issubclass(cls, FrameType | ModuleType) or module_of(cls).startswith("chainrules_"):
        return False
    return not (cls is dict and "__name__" in holder)


def text_in(attributes: Mapping[str, Any], name: str) -> str:
    """A string among attributes, else an empty one: anybody may put anything there."""
    return as_text(attributes.get(name))


def as_text(found) -> str:
    """A string as it is, and an empty one for anything else."""
    return found if type(found) is str else ""


def module_of(cls: type) -> str:
    """The name of the module of a class."""
    return text_in(members_of(cls), "__module__")


def in_module(module, ids: Ids) -> Iterator[Place]:
    """Yield the variables of a module, and attributes of its classes, with these identities."""
    if not issubclass(type(module), ModuleType):
        return
    variables = variables_of(module) or {}
    own = text_in(variables, "__name__")
    if own.startswith("chainrules_"):
        return
    for name, found in variables.copy().items():
        if type(found) is FunctionType:
            continue
        if issubclass(type(found), type):
            if module_of(found) == own:
                where = f"the class {qualified_name_of(found)} of {own}"
                yield from in_attributes(own, members_of(found), where, ids)
        elif (distance := distance_of(found, ids)) is not None:
            lines = lines_that_fill(own, name, is_attribute=False)
            yield Place(f"the variable {name} of {own}", lines, distance)


def distance_of(found, ids: Ids) -> int | None:
    """The distance of an object, or of what an array of objects or a context variable holds.

    Asked of each variable of each module: what is neither is done with at once.
    """
    if id(found) in ids:
        return ids[id(found)]
    held: Iterable[Any]
    if type(found) is np.ndarray and found.dtype.kind == "O" and found.size <= _LARGE:
        held = found.flat
    elif type(found) is ContextVar:
        held = (found.get(None),)
    else:
        return None
    return min((ids[id(each)] for each in held if id(each) in ids), default=None)


def in_object(holder, ids: Ids) -> Iterator[Place]:
    """Yield the attributes, the cache or the variables around a function that are among these."""
    cls = type(holder)
    if cls is FunctionType:
        module = as_text(holder.__module__)
        own = f"{holder.__qualname__} of {module}"
        cells = zip(holder.__code__.co_freevars, holder.__closure__ or (), strict=True)
        defaults = defaults_of(holder).items()
        values = [(name, f"the variable {name} around {own}", cell) for name, cell in cells]
        values += [(name, f"the default {name} of {own}", default) for name, default in defaults]
        for name, where, found in values:
            if id(found) in ids:
                lines = lines_that_fill(module, name, is_attribute=False)
                yield Place(where, lines, ids[id(found)])
        yield from in_attributes(module, attributes_of(holder), own, ids)
    elif cls is _CachedFunction:
        named = attributes_of(holder)
        own = f"{text_in(named, '__qualname__')} of {text_in(named, '__module__')}"
        yield Place(f"the cache of {own}", "", ids.get(id(holder), 0))
    elif cls is functools.partial:
        yield Place(f"an argument of a functools.partial of {holder.func!r}", "", ids[id(holder)])
    elif not issubclass(cls, type):
        where = f"an object of {qualified_name_of(cls)} of {module_of(cls)}"
        held = {**attributes_of(holder), **slots_of(holder)}
        yield from in_attributes(module_of(cls), held, where, ids)


def defaults_of(function: FunctionType) -> dict[str, Any]:
    """The defaults of a function's arguments, by name."""
    code, given = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    by_position = zip(names[len(names) - len(given) :], given, strict=True)
    return {**dict(by_position), **(function.__kwdefaults__ or {})}


def slots_of(found) -> dict[str, Any]:
    """The values in the slots of an object, of those that are filled."""
    held = {}
    for cls in bases_of(type(found)):
        for name, member in members_of(cls).items():
            if type(member) is MemberDescriptorType and flags_of(cls) & _IS_HEAP:
                try:
                    held[name] = member.__get__(found)
                except AttributeError:
                    continue
    return held


def attributes_of(found) -> Mapping[str, Any]:
    """The ``__dict__`` of an object; empty where it has none, or its class has written its own."""
    for cls in bases_of(type(found)):
        member = members_of(cls).get("__dict__")
        if member is not None:
            attributes = member.__get__(found) if type(member) is GetSetDescriptorType else None
            return attributes if type(attributes) is dict else {}
    return {}


def in_attributes(
    module: str, attributes: Mapping[str, Any], where: str, ids: Ids
) -> Iterator[Place]:
    """The attributes that are among those of these identities."""
    for name, found in list(attributes.items()):
        if type(found) is FunctionType or issubclass(type(found), type):
            continue
        distance = distance_of(found, ids)
        if distance is not None:
            lines = lines_that_fill(module, name, is_attribute=True)
            yield Place(f"the attribute {name} of {where}", lines, distance)


def lines_that_fill(module: str, name: str, is_attribute: bool) -> str:
    """The file and up to three lines in functions of a module that assign to a name, or into it."""
    found = sys.modules.get(module)
    file = text_in(variables_of(found), "__file__") if issubclass(type(found), ModuleType) else ""
    tree = parsed(file)
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    ]
    lines = {line for function in functions for line in filling_lines(function, name, is_attribute)}
    return f"{file}:{', '.join(map(str, sorted(lines)[:3]))}" if lines else ""


def parsed(file: str) -> ast.AST:
    """The source in a file as a tree; an empty one where there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of escape sequences in strings, for instance
        try:
            return ast.parse("".join(linecache.getlines(file)))
        except (SyntaxError, ValueError, RecursionError):
            return ast.Module([], [])


def filling_lines(function: ast.AST, name: str, is_attribute: bool) -> Iterator[int]:
    """The lines of a function that assign to a variable or attribute, or into it."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(is_named(target, name, is_attribute) for target in targets):
                yield node.lineno
        filled = filled_by(node)
        if filled is not None and is_named(filled, name, is_attribute):
            yield filled.lineno


def filled_by(node: ast.AST) -> ast.expr | None:
    """The container that a call of `append` or the like fills; None of any other node."""
    match node:
        case ast.Call(func=ast.Attribute(value=container, attr=method)) if method in _FILLING:
            return container
    return None


def is_named(target: ast.expr, name: str, is_attribute: bool) -> bool:
    """Whether an expression is a variable or attribute, or an entry of it."""
    while isinstance(target, ast.Subscript | ast.Starred):
        target = target.value
    if isinstance(target, ast.Tuple | ast.List):
        return any(is_named(part, name, is_attribute) for part in target.elts)
    if is_attribute:
        return isinstance(target, ast.Attribute) and target.attr == name
    return isinstance(target, ast.Name) and target.id == name
