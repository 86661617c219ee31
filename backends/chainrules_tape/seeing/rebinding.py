"""What is replaced in a module that is seen through, and how it is put back.

A walk from the module's globals visits what is defined in modules that are seen through: functions with their defaults,
closures and code, classes with their attributes, and lists and dicts. Where it finds something of NumPy's, it puts what stands
in its place, and notes how that is undone.
"""

import functools
from collections.abc import Callable, Iterable
from types import CellType, FunctionType, ModuleType
from typing import Any

from chainrules_tape.seeing.compiled import dispatcher_of, for_traced
from chainrules_tape.seeing.conversions import with_conversions
from chainrules_tape.seeing.replacements import replacement

_LARGE = 1000  # entries: a longer list or dict is a table of numbers


class Rebinding:
    """One walk, and what it changed; `is_seen` says of a module's name whether it is seen through."""

    def __init__(self, is_seen: Callable[[str], bool]) -> None:
        self.is_seen = is_seen
        self.visited: set[int] = set()
        self.changes: list[Callable[[], None]] = []
        self.unchanged: dict[str, Any] = {}  # the globals of the module as they were

    def undo(self) -> None:
        """Put everything back that is still as the walk left it."""
        while self.changes:
            self.changes.pop()()

    def module(self, module: ModuleType) -> None:
        """Visit what a module holds."""
        self.unchanged = dict(vars(module))
        names = [name for name in vars(module) if not name.startswith("__")]
        self.entries(vars(module), names)

    def entries(self, holder: Any, keys: Iterable[Any]) -> None:
        """Visit the entries of a dict or a list."""
        for key in keys:
            old = holder[key]
            new = self.value(old)
            if new is not old:
                holder[key] = new
                self.changes.append(functools.partial(put_back, holder, key, old, new))

    def value(self, found: Any) -> Any:
        """Visit a value; what stands in its place."""
        new = replacement(found)
        if new is not found:
            return new
        if isinstance(found, functools.partial):
            return self.partial(found)
        if isinstance(found, staticmethod | classmethod):
            function = self.value(found.__func__)
            return found if function is found.__func__ else type(found)(function)
        if isinstance(found, tuple) and len(found) <= _LARGE:
            return self.tuple(found)
        if dispatcher_of(found) is not None:
            return self.compiled(found)
        if id(found) not in self.visited:
            self.visited.add(id(found))
            self.inside(found)
        return found

    def inside(self, found: Any) -> None:
        """Visit what a value holds."""
        if isinstance(found, FunctionType):
            self.function(found)
        elif isinstance(found, type):
            if self.is_seen(found.__module__):
                self.class_attributes(found)
        elif isinstance(found, property):
            for part in (found.fget, found.fset, found.fdel):
                self.value(part)
        elif isinstance(found, dict | list) and len(found) <= _LARGE:
            self.entries(found, list(found) if isinstance(found, dict) else range(len(found)))
        elif isinstance(answered(found, "__wrapped__"), FunctionType):
            self.value(answered(found, "__wrapped__"))  # what `functools.lru_cache` made
        elif self.is_seen(str(type(found).__module__ or "")) and isinstance(answered(found, "__dict__"), dict):
            self.entries(vars(found), list(vars(found)))

    def partial(self, found: Any) -> Any:
        """What stands in the place of a `functools.partial`."""
        function = self.value(found.func)
        return found if function is found.func else functools.partial(function, *found.args, **found.keywords)

    def tuple(self, found: Any) -> Any:
        """What stands in the place of a tuple; a named one keeps its class."""
        parts = [self.value(part) for part in found]
        if not any(map(is_other, parts, found)):
            return found
        return found._make(parts) if hasattr(found, "_make") else tuple(parts)

    def compiled(self, found: Any) -> Any:
        """What stands in the place of a function that numba compiles, which compiles it with the globals that it knows."""
        dispatcher = dispatcher_of(found)
        function = dispatcher.py_func
        if not self.is_seen(function.__globals__.get("__name__", "")):
            return found
        plain = copied(function, self.unchanged or function.__globals__)
        for holder in (dispatcher, getattr(dispatcher, "_compiler", dispatcher)):
            self.attribute(holder, "py_func", plain)
        traced = copied(function, function.__globals__)
        self.function(traced)
        return for_traced(found, traced)

    def function(self, function: FunctionType) -> None:
        """Visit a function's closure, defaults and code; of a foreign decorator's only the functions in its closure."""
        seen = self.is_seen(function.__globals__.get("__name__", ""))
        for cell in function.__closure__ or ():
            self.cell(cell, seen)
        if not seen:
            return
        defaults = function.__defaults__
        if defaults:
            new = tuple(map(self.value, defaults))
            if any(map(is_other, new, defaults)):
                self.attribute(function, "__defaults__", new)
        if function.__kwdefaults__:
            self.entries(function.__kwdefaults__, list(function.__kwdefaults__))
        code = with_conversions(function.__code__, function.__globals__)
        if code is not function.__code__:
            self.attribute(function, "__code__", code)

    def cell(self, cell: CellType, seen: bool) -> None:
        """Visit what a variable of a closure holds."""
        try:
            old = cell.cell_contents
        except ValueError:
            return  # it is assigned to later
        new = self.value(old) if seen or isinstance(old, FunctionType) else old
        if seen and new is not old:
            self.attribute(cell, "cell_contents", new)

    def class_attributes(self, cls: type) -> None:
        """Visit the attributes of a class."""
        for name, old in list(vars(cls).items()):
            new = self.value(old)
            if new is not old:
                self.attribute(cls, name, staticmethod(new) if callable(new) and not hasattr(old, "__get__") else new, old)

    def attribute(self, holder: Any, name: str, new: Any, old: Any = None) -> None:
        """Assign to an attribute, and note how that is undone."""
        old = getattr(holder, name) if old is None else old
        setattr(holder, name, new)
        self.changes.append(functools.partial(setattr, holder, name, old))


def copied(function: FunctionType, variables: dict[str, Any]) -> FunctionType:
    """The function with other globals."""
    made = FunctionType(function.__code__, variables, function.__name__, function.__defaults__, function.__closure__)
    made.__dict__.update(function.__dict__)
    return made


def answered(found: Any, name: str) -> Any:
    """An attribute of an object; None where there is none, or where the object raises whatever it is asked.

    A package puts such an object in the place of a library that is not installed.
    """
    try:
        return getattr(found, name, None)
    except Exception:
        return None


def is_other(new: Any, old: Any) -> bool:
    """Whether two are not the same object."""
    return new is not old


def put_back(holder: Any, key: Any, old: Any, new: Any) -> None:
    """Put an entry back, unless it has been replaced since."""
    if (holder.get(key) if isinstance(holder, dict) else holder[key]) is new:
        holder[key] = old
