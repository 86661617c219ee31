"""The cache, attribute or variable that keeps a traced value beyond the call that traced it.

Only looked for when the error is raised: the garbage collector says who refers to the value, and
the source of the module which lines assign to what refers to it.

All objects of the process may be met here: modules that import what they are asked for, attributes
that warn, classes that raise. So nothing is asked by an attribute that somebody may have written.
Types are told by `type`, and dictionaries are read by the descriptors of Python itself.
"""

import ast
import linecache
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from types import FrameType, FunctionType, GetSetDescriptorType, ModuleType
from typing import Any, NamedTuple

from chainrules_py.introspection import referrers

_DEPTH = 5  # containers inside containers
_WIDTH = 50  # containers of one depth that are looked at
_FILLING = frozenset(
    {"append", "add", "extend", "insert", "setdefault", "update", "appendleft", "push"}
)

variables_of: Callable[[Any], dict[str, Any]] = vars(ModuleType)["__dict__"].__get__
_members_of: Callable[[type], Mapping[str, Any] | None] = vars(type)["__dict__"].__get__
bases_of: Callable[[type], tuple[type, ...]] = vars(type)["__mro__"].__get__
qualified_name_of: Callable[[type], str] = vars(type)["__qualname__"].__get__
_CachedFunction = type(lru_cache(abs))


def members_of(cls: type) -> Mapping[str, Any]:
    """The attributes that a class has itself, as far as somebody has used it."""
    return _members_of(cls) or {}


class Place(NamedTuple):
    """The name of something that keeps a value, and the lines that may have put it there."""

    name: str
    lines: str

    def __str__(self) -> str:
        return f"{self.name}, filled at {self.lines}" if self.lines else self.name


def kept_in(value: Any) -> Place | None:
    """Find a variable, an attribute or a cache that keeps a traced value."""
    reached = holders_of(value)
    ids = frozenset(map(id, reached))
    in_modules = (
        place for module in list(sys.modules.values()) for place in in_module(module, ids)
    )
    elsewhere = (place for holder in reached for place in in_object(holder, ids))
    return next(chain(in_modules, elsewhere), None)


def holders_of(value: Any) -> list[Any]:
    """A traced value, its other handles, and what refers to them, nearest first."""
    handles = [
        x for x in referrers(value.level) if type(x) is type(value) and x.value is value.value
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


def may_keep(holder: Any) -> bool:
    """Whether an object that refers to a value outlives the call; frames and our objects do not."""
    cls = type(holder)
    if issubclass(cls, FrameType | ModuleType) or module_of(cls).startswith("chainrules_"):
        return False
    return not (cls is dict and "__name__" in holder)


def text_in(attributes: Mapping[str, Any], name: str) -> str:
    """A string among attributes, else an empty one: anybody may put anything there."""
    found = attributes.get(name)
    return found if type(found) is str else ""


def module_of(cls: type) -> str:
    """The name of the module of a class."""
    return text_in(members_of(cls), "__module__")


def in_module(module: Any, ids: Collection[int]) -> Iterator[Place]:
    """Yield the variables of a module, and attributes of its classes, with these identities."""
    if not issubclass(type(module), ModuleType):
        return
    variables = variables_of(module) or {}
    own = text_in(variables, "__name__")
    if own.startswith("chainrules_"):
        return
    for name, found in list(variables.items()):
        if issubclass(type(found), type):
            if module_of(found) == own:
                where = f"the class {qualified_name_of(found)} of {own}"
                yield from in_attributes(own, members_of(found), where, ids)
        elif (
            id(found) in ids
            and type(found) is not FunctionType
            and not named_by_attribute(found, ids)
        ):
            yield Place(
                f"the variable {name} of {own}", lines_that_fill(own, name, is_attribute=False)
            )


def in_object(holder: Any, ids: Collection[int]) -> Iterator[Place]:
    """Yield the attributes, the cache or the variables around a function that are among these."""
    cls = type(holder)
    if cls is FunctionType:
        module = text_in({"": holder.__module__}, "")
        for name, cell in zip(holder.__code__.co_freevars, holder.__closure__ or (), strict=True):
            if id(cell) in ids:
                where = f"the variable {name} around {holder.__qualname__} of {module}"
                yield Place(where, lines_that_fill(module, name, is_attribute=False))
    elif cls is _CachedFunction:
        named = attributes_of(holder)
        yield Place(
            f"the cache of {text_in(named, '__qualname__')} of {text_in(named, '__module__')}", ""
        )
    elif not issubclass(cls, type):
        where = f"an object of {qualified_name_of(cls)} of {module_of(cls)}"
        yield from in_attributes(module_of(cls), attributes_of(holder), where, ids)


def attributes_of(found: Any) -> Mapping[str, Any]:
    """The ``__dict__`` of an object; empty where it has none, or its class has written its own."""
    for cls in bases_of(type(found)):
        member = members_of(cls).get("__dict__")
        if member is not None:
            attributes = member.__get__(found) if type(member) is GetSetDescriptorType else None
            return attributes if type(attributes) is dict else {}
    return {}


def named_by_attribute(found: Any, ids: Collection[int]) -> bool:
    """Whether an attribute of an object is among these, which says more than a variable."""
    return any(id(each) in ids for each in list(attributes_of(found).values()))


def in_attributes(
    module: str, attributes: Mapping[str, Any], where: str, ids: Collection[int]
) -> Iterator[Place]:
    """The attributes that are among those of these identities."""
    for name, found in list(attributes.items()):
        if id(found) in ids and not (type(found) is FunctionType or issubclass(type(found), type)):
            yield Place(
                f"the attribute {name} of {where}", lines_that_fill(module, name, is_attribute=True)
            )


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
