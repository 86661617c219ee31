"""Copy a function so that it reads recorded arrays in the place of those that it captured.

While a function is recorded, the arrays that it captures are inputs of the program, as its
arguments are. So it is run as a copy: with cells, defaults and global names bound to the recorded
arrays, and to copies of what holds some: functions, containers, objects. The originals are not
touched, and what other threads do does not matter.
"""

import builtins
import copy
import operator
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import CellType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

from chainrules_programs.compiling.counters import MISSING, NotAssignedError, state_within
from chainrules_programs.compiling.effects import stand_in
from chainrules_programs.compiling.kinds_of_values import kind_of
from chainrules_programs.compiling.replayed import Effects, noting
from chainrules_programs.compiling.surroundings import Surroundings
from chainrules_py.introspection.names_read import names_read
from chainrules_py.values.arrays import making
from chainrules_py.values.captured_values import contents
from chainrules_py.values.structure import slot_names
from chainrules_tape.core.trees import flatten

_COPIED = frozenset(
    {"function", "partial", "method", "items", "instance", "module", "compiled", "seen", "cache"}
)
_ALWAYS_COPIED = frozenset({"function", "cache"})


class Rebinding:
    """The objects to be copied for one run, and their copies by the identity of the original."""

    def __init__(self, found: Surroundings, arrays: list[Any], effects: Effects) -> None:
        self.found, self.effects = found, effects
        self.made: dict[int, Any] = {
            id(old): new for old, new in zip(found.places.arrays, arrays, strict=True)
        }
        for x in found.effects.values():
            is_import = x is builtins.__import__
            self.made[id(x)] = self._imported if is_import else stand_in(x, effects.note)
        self.needed = needed_copies(found, set(self.made))
        self._spaces: dict[int, dict[str, Any]] = {}
        self._names: dict[int, dict[str, Any]] = {}  # what the names of spaces were bound to
        self._of_modules: dict[int, list[dict[str, Any]]] = {}
        self._snapshots: list[tuple[Any, Any]] = []

    def rebound(self, x) -> Any:
        """A copy of an object in which captured arrays are others; the object, if it has none."""
        if id(x) in self.made:
            return self.made[id(x)]
        if id(x) not in self.needed:
            return x
        return getattr(self, f"_copy_of_{kind_of(x)}")(x)

    def with_objects(self, x) -> Any:
        """Arguments with copies of the objects among them that lead to captured arrays."""
        leaves, rebuilt = flatten(x)
        return rebuilt([self.rebound(leaf) for leaf in leaves])

    def copies_of(self, x) -> list[Any]:
        """The copies of an object, or of the dict of a module's globals, that were made."""
        found = [self.made[id(x)]] if id(x) in self.made else []
        if id(x) in self._spaces:
            found.append(self._spaces[id(x)])
        return found + self._of_modules.get(id(x), [])

    def is_unchanged(self) -> bool:
        """Whether the run left the copied containers and objects as they were."""
        return self._has_names() and all(is_same_state(x, then) for x, then in self._snapshots)

    def _has_names(self) -> bool:
        """Whether no code has assigned to global names of copies but to those that programs assign."""
        known = self.found.assigned.keys() | self.found.counters.keys()
        return all(
            space.get(name, MISSING) is names.get(name, MISSING) or (own, name) in known
            for own, names in self._names.items()
            for space in [self._spaces[own]]
            for name in space.keys() | names.keys()
            if name != "__warningregistry__"  # Python's
        )

    def _put(self, x, made) -> Any:
        self.made[id(x)] = made
        return made

    def _copy_of_function(self, x: FunctionType) -> FunctionType:
        space = self._spaces.get(id(x.__globals__))
        if space is None:
            space = self._spaces[id(x.__globals__)] = dict(x.__globals__)
            own = {"__import__": self._imported, "globals": partial(MappingProxyType, space)}
            space["__builtins__"] = {**vars(builtins), **own}
            self._names[id(x.__globals__)] = dict(space)
        # A cell is filled after the function is made, because it may hold that function.
        cells = [
            CellType() if id(content) in self.needed or id(content) in self.made else cell
            for cell, content in contents(x)
        ]
        made = FunctionType(x.__code__, space, x.__name__, None, tuple(cells))
        self._put(x, made)
        for cell, (old, content) in zip(cells, contents(x), strict=True):
            if cell is not old:
                cell.cell_contents = self.rebound(content)
        if x.__defaults__ is not None:
            made.__defaults__ = tuple(map(self.rebound, x.__defaults__))
        if x.__kwdefaults__ is not None:
            made.__kwdefaults__ = {k: self.rebound(part) for k, part in x.__kwdefaults__.items()}
        made.__dict__.update(x.__dict__)
        self._watched(made.__dict__)
        made.__qualname__, made.__module__ = x.__qualname__, x.__module__
        made.__doc__, made.__annotations__ = x.__doc__, x.__annotations__
        self._bind_globals(x, space)
        return made

    def _bind_globals(self, x: FunctionType, space: dict[str, Any]) -> None:
        read = names_read(x.__code__)
        names = read.globals_read if read else set()
        for name in list(x.__globals__) if "globals" in names else names:
            if name in self.found.frozen:
                continue
            original = x.__globals__.get(name, getattr(builtins, name, None))
            made = self.rebound(original)
            if made is not original:
                space[name] = self._names[id(x.__globals__)][name] = made

    def _imported(self, name: str, *args) -> Any:
        """Import a module inside of a copied function: a stand-in, where it has effects."""
        found = builtins.__import__(name, *args)
        if len(args) < 4 and name not in self.found.imported:  # which is no statement's
            self.effects.note("__import__")
        return self.made.get(id(found), found)

    def _copy_of_compiled(self, x):
        return self._put(x, self.rebound(x.function))

    def _copy_of_seen(self, x):
        return self._put(x, self.rebound(x.scope.called(x.function)))

    def ask(self, function, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call a function with a cache, which is called by a stand-in in code that is seen through."""
        return AskedCache(function, self.effects)(*args, **options)

    def _copy_of_cache(self, x):
        return self._put(x, AskedCache(x, self.effects))

    def _copy_of_partial(self, x):
        made = partial.__new__(
            type(x),
            self.rebound(x.func),
            *map(self.rebound, x.args),
            **{key: self.rebound(part) for key, part in x.keywords.items()},
        )
        made.__dict__.update(x.__dict__)
        self._watched(made.__dict__)
        return self._put(x, made)

    def _copy_of_method(self, x):
        return self._put(x, MethodType(self.rebound(x.__func__), self.rebound(x.__self__)))

    def _copy_of_items(self, x):
        if isinstance(x, tuple):
            parts = map(self.rebound, x)
            make = getattr(type(x), "_make", tuple)  # that of a named tuple
            return self._put(x, make(parts))
        made = self._put(x, copy.copy(x))
        for key in list(x) if isinstance(x, dict) else range(len(x)):
            made[key] = self.rebound(x[key])
        return self._watched(made)

    def _copy_of_instance(self, x):
        made = self._put(x, object.__new__(type(x)))
        if hasattr(x, "__dict__"):
            made.__dict__.update(x.__dict__)
            for name, part in x.__dict__.items():
                made.__dict__[name] = self.rebound(part)
        for name in slot_names(type(x)):
            if hasattr(x, name):
                object.__setattr__(made, name, self.rebound(getattr(x, name)))
        return self._watched(made)

    def _copy_of_module(self, x: ModuleType) -> ModuleType:
        made = ModuleType(x.__name__)
        self._put(x, made)
        self._of_modules[id(x.__dict__)] = [made.__dict__]
        made.__dict__.update(x.__dict__)
        for name in self.found.attributes & x.__dict__.keys():
            made.__dict__[name] = self.rebound(x.__dict__[name])
        self._watched(made)
        return made

    def _watched(self, made) -> Any:
        self._snapshots.append((made, state_of(made)))
        return made


class AskedCache:
    """A function with a cache, as a recorded run calls it.

    Before each run of the program it is called again: what it returns has to hold what it held. So a
    program has what the cache has, however old that is.
    """

    def __init__(self, function, effects: Effects) -> None:
        self.function, self.effects = function, effects

    def __call__(self, *args, **options) -> Any:
        """Return what the cache has for these arguments."""
        with not_recorded():  # what it fills its cache with is not the program's
            found = self.function(*args, **options)
        name, number = self.function.__name__, len(self.effects.asked)
        ask = partial(self._state, args, options)
        try:
            sentence = f"what the cache of {name} has holds what it held ({number})"
            self.effects.asked.append((ask, ask(), sentence))
        except NotAssignedError:
            self.effects.note(f"{name}, whose cache has what cannot be compared,")
        return found

    def _state(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        return state_within(self.function(*args, **options), self.function.__name__)

    def __getattr__(self, name: str) -> Any:
        self.effects.note(f"{self.function.__name__}.{name}")
        return getattr(self.function, name)


@contextmanager
def not_recorded() -> Iterator[None]:
    """Let calls meanwhile be those of a plain run."""
    before = noting.effects, making.call
    noting.effects = making.call = None
    try:
        yield
    finally:
        noting.effects, making.call = before


def needed_copies(found: Surroundings, arrays: set[int]) -> set[int]:
    """The identities of what has to be copied: functions, and whatever leads to one or an array."""
    holders: dict[int, list[int]] = {}
    waiting = []
    for holder, parts in found.links.items():
        for part in parts:
            holders.setdefault(id(part), []).append(holder)
    functions = {x for x, each in found.followed.items() if kind_of(each) in _ALWAYS_COPIED}
    waiting = [*arrays, *functions]
    needed: set[int] = set()
    while waiting:
        x = waiting.pop()
        if x in needed:
            continue
        needed.add(x)
        waiting += holders.get(x, [])
    return {x for x in needed if x in found.followed and kind_of(found.followed[x]) in _COPIED}


def state_of(x) -> list[Any]:
    """The parts of an object as they are now, to be compared by identity."""
    if isinstance(x, dict):
        return [*x, *x.values()]
    if isinstance(x, list | deque | set):
        return list(x)
    state = getattr(x, "__dict__", {})
    slots = [getattr(x, name, None) for name in slot_names(type(x))]
    return [*state, *state.values(), *slots]


def is_same_state(x, before: list[Any]) -> bool:
    """Whether an object has the same parts as before."""
    now = state_of(x)
    return len(now) == len(before) and all(map(operator.is_, now, before))
