"""Where a traced value is kept that outlived the call in which it was traced: a cache, an attribute, a global variable.

Only asked when the error is raised: the garbage collector says who refers to the value, and the source of the module which
lines assign to what refers to it.
"""

import ast
import gc
import linecache
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from types import FrameType, FunctionType, GetSetDescriptorType, ModuleType
from typing import Any, NamedTuple

_DEPTH = 5  # containers inside containers
_WIDTH = 50  # containers of one depth that are looked at
_FILLING = frozenset({"append", "add", "extend", "insert", "setdefault", "update", "appendleft", "push"})


class Place(NamedTuple):
    """What keeps a value: how it is named, and the lines that may have put it there."""

    name: str
    lines: str

    def __str__(self) -> str:
        return f"{self.name}, filled at {self.lines}" if self.lines else self.name


def kept_in(value: Any) -> Place | None:
    """What keeps a traced value, itself or in containers: a variable, an attribute, a cache; None where nothing is found."""
    reached = [value, *(x for x in gc.get_referrers(value.level) if type(x) is type(value) and x.value is value.value)]
    inside = reached
    for _ in range(_DEPTH):
        holders = [holder for each in inside for holder in gc.get_referrers(each) if may_keep(holder, (reached, inside))]
        inside = list({id(holder): holder for holder in holders if not is_one_of(holder, reached)}.values())[:_WIDTH]
        reached = [*reached, *inside]
    ids = frozenset(map(id, reached))
    in_modules = (place for module in list(sys.modules.values()) for place in in_module(module, ids))
    elsewhere = (place for holder in reached for place in in_object(holder, ids))
    return next(chain(in_modules, elsewhere), None)


def may_keep(holder: Any, own: tuple[Any, ...]) -> bool:
    """Whether an object that refers to a value outlives the call: frames, and what this library keeps, do not."""
    if isinstance(holder, FrameType | ModuleType) or is_one_of(holder, own):
        return False
    return not (type(holder).__module__ or "").startswith("chainrules_") and not (
        isinstance(holder, dict) and "__name__" in holder
    )


def is_one_of(found: Any, objects: Iterable[Any]) -> bool:
    """Whether an object is one of some, and not just equal to it."""
    return any(found is each for each in objects)


def in_module(module: Any, ids: frozenset[int]) -> Iterator[Place]:
    """The variables of a module, the attributes of its classes and of its objects, that are among those of these identities."""
    own = str(getattr(module, "__name__", ""))
    if type(module) is not ModuleType or own.startswith("chainrules_"):
        return
    for name, found in list(vars(module).items()):
        if id(found) in ids and not isinstance(found, type | FunctionType) and not is_object(found):
            yield Place(f"the variable {name} of {own}", lines_that_fill(module, name, is_attribute=False))
        elif isinstance(found, type) and found.__module__ == own:
            yield from in_attributes(found, vars(found), f"the class {found.__qualname__} of {own}", ids)


def in_object(holder: Any, ids: frozenset[int]) -> Iterator[Place]:
    """The attributes of an object, the cache of a function, or the variable around one, that are among these."""
    cls = type(holder)
    if isinstance(holder, FunctionType):
        for name, cell in zip(holder.__code__.co_freevars, holder.__closure__ or (), strict=True):
            if id(cell) in ids:
                where = f"the variable {name} around {holder.__qualname__} of {holder.__module__}"
                yield Place(where, lines_that_fill(sys.modules.get(holder.__module__), name, is_attribute=False))
    elif hasattr(cls, "cache_info"):
        yield Place(f"the cache of {holder.__qualname__} of {holder.__module__}", "")
    elif is_object(holder):
        yield from in_attributes(cls, vars(holder), f"an object of {cls.__qualname__} of {cls.__module__}", ids)


def is_object(found: Any) -> bool:
    """Whether something is an object of a class that is written in Python, with attributes."""
    return not isinstance(found, type) and isinstance(vars(type(found)).get("__dict__"), GetSetDescriptorType)


def in_attributes(cls: type, attributes: Any, where: str, ids: frozenset[int]) -> Iterator[Place]:
    """The attributes that are among those of these identities."""
    for name, found in list(attributes.items()):
        if id(found) in ids:
            module = sys.modules.get(cls.__module__)
            yield Place(f"the attribute {name} of {where}", lines_that_fill(module, name, is_attribute=True))


def lines_that_fill(module: ModuleType | None, name: str, is_attribute: bool) -> str:
    """The file and lines, three at most, in functions of a module that assign to a variable or attribute, or into it."""
    file = getattr(module, "__file__", None)
    if module is None or file is None:
        return ""
    try:
        tree = ast.parse("".join(linecache.getlines(file, vars(module))))
    except SyntaxError:
        return ""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)]
    lines = {line for function in functions for line in filling_lines(function, name, is_attribute)}
    return f"{file}:{', '.join(map(str, sorted(lines)[:3]))}" if lines else ""


def filling_lines(function: ast.AST, name: str, is_attribute: bool) -> Iterator[int]:
    """The lines of a function that assign to a variable or attribute, or into it."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(is_named(target, name, is_attribute) for target in targets):
                yield node.lineno
        elif is_filling(node) and is_named(node.func.value, name, is_attribute):  # type: ignore[attr-defined]
            yield node.lineno  # type: ignore[attr-defined]


def is_filling(node: ast.AST) -> bool:
    """Whether an expression calls a method that puts something into a container."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING


def is_named(target: ast.expr, name: str, is_attribute: bool) -> bool:
    """Whether an expression is a variable or attribute, or an entry of it."""
    while isinstance(target, ast.Subscript | ast.Starred):
        target = target.value
    if isinstance(target, ast.Tuple | ast.List):
        return any(is_named(part, name, is_attribute) for part in target.elts)
    if is_attribute:
        return isinstance(target, ast.Attribute) and target.attr == name
    return isinstance(target, ast.Name) and target.id == name
