"""Find what a function reads beside its arguments: global names, captured variables, attributes.

`Surroundings` follows a function into all that it can reach by name: the functions it calls, the
objects whose attributes it reads, the containers that hold them. Each place that it comes by is
put into `places`, to be checked before a program runs. Arrays of numbers are inputs, where the
function can be given others in their place (`rebinding`), else they are compared entry by entry.

An attribute of an object is a place only if some code that was reached names it: a counter that
only other code touches may change. Numbers that this code only counts are in `counters`.
"""

import builtins
import datetime
import decimal
import gc
import logging
import marshal
import operator
import reprlib
import sys
import warnings
from abc import ABCMeta, get_cache_token
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import partial
from itertools import accumulate
from types import BuiltinFunctionType, FunctionType, ModuleType, NoneType
from typing import Any, NamedTuple

import numpy as np

from chainrules_programs.compiling.counters import Counter, can_be_counted
from chainrules_programs.compiling.effects import (
    CLOCKS,
    NUMPYS,
    drawing,
    effect_of,
    is_harmless,
    is_logger,
    is_noted_when_called,
    reading,
)
from chainrules_programs.compiling.kinds_of_values import filled_class, is_users, kind_of
from chainrules_programs.compiling.places import (
    ABSENT,
    CALL,
    CALLED,
    CLASS,
    CONSTANT,
    COUNTED,
    DISJOINT,
    IDENTICAL,
    KEYS,
    LENGTH,
    MARSHALLED,
    MEMBERS,
    UNSET,
    Places,
    Step,
    attribute,
    item,
    items_as,
)
from chainrules_programs.compiling.replayed import STAND_INS
from chainrules_py.introspection.executed import Executed
from chainrules_py.introspection.names_read import NamesRead, names_read, variables_of_code
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.values.structure import slot_names

MOST = 20_000  # objects that are followed before a function is left to the tape
COMPARED = 2**16  # bytes of an array, which are compared in 10 us
_REFLECTIVE = frozenset(
    {
        *("getattr", "vars", "hasattr", "dir", "attrgetter", "asdict", "astuple", "replace"),
        *("deepcopy", "copy", "__dict__", "__getattribute__", "fields", "flatten", "tree_map"),
        "methodcaller",
    }
)
# such names as attributes: those that arrays have too, `copy` and `flatten`, read nothing else
_REFLECTIVE_ATTRIBUTES = frozenset(
    {
        *("__dict__", "__getattribute__", "attrgetter", "asdict", "astuple"),
        *("getattr_static", "getmembers", "methodcaller"),
    }
)
# attributes by which code comes by variables that it does not name
_HOLD_VARIABLES = frozenset({"__globals__", "f_globals", "f_locals", "cell_contents"})
_ASKED_BY_PYTHON = frozenset({"__bool__", "__len__", "__getattr__", "__getattribute__"})
_EMPTY = object()
_VALUES = (np.ndarray, np.generic, int, float, complex)
_HAVE_ATTRIBUTES = frozenset({"instance", "class", "module", "value", "filled"})
# of functions, beside those that somebody gave them
_ATTRIBUTES_OF_FUNCTIONS = frozenset(
    {"__doc__", "__name__", "__qualname__", "__module__", "__annotations__"}
)
_NUMPYS_STATE = {
    "geterr": np.geterr,
    "geterrcall": np.geterrcall,
    "getbufsize": np.getbufsize,
    "get_printoptions": np.get_printoptions,
}
_NAMED_AS_ATTRIBUTES = {
    id(np.errstate): "errstate",
    id(np.seterr): "seterr",
    id(np.seterrcall): "seterrcall",
    id(warnings.catch_warnings): "catch_warnings",
    id(np.shares_memory): "shares_memory",
    id(np.may_share_memory): "may_share_memory",
    id(operator.is_): "is_",
    id(operator.is_not): "is_not",
}
_short = reprlib.Repr()  # of long containers the first items
_MARSHALLED = (bool, int, float, complex, str, bytes, NoneType)


Where = tuple[Any, tuple[Step, ...]]  # an object, and how something is reached from there


class Open(NamedTuple):
    """Something with attributes, of which more may be read than is known so far."""

    x: Any
    text: str
    bound: bool
    parts: Callable[[Any, str, set[str]], Iterator[Any]]
    seen: set[str]


class TooMuchError(Exception):
    """There is more to follow than `MOST` objects."""


class OutOfScopeError(Exception):
    """A function is seen through with its file, in a `scope` that has to be entered first."""

    def __init__(self, scope) -> None:
        super().__init__(scope)
        self.scope = scope


class Surroundings:
    """Collect what functions and objects read: `places`, `tables`; `reasons` why there may be more.

    With `executed`, functions are followed as far as their instructions are among those that ran: as
    long as a program serves, no others run.

    `locks` are of threads: a program takes them, too.

    `bound` are what copies can be made of, by `rebinding`: not methods of classes, say. `links` are
    the parts of each of these by its identity.
    """

    def __init__(
        self,
        roots: list[Any],
        frozen: frozenset[str] = frozenset(),
        *,
        inputs: str = "fciub",
        executed: Executed | None = None,
    ) -> None:
        self.frozen, self.inputs, self.executed = frozen, inputs, executed
        self.count_executed = 0 if executed is None else executed.count()
        self.attributes: set[str] = set()  # that code reads
        self.changed: set[str] = set()  # that it assigns to
        self.initialized: set[str] = set()  # that it assigns to in new objects
        self.initializes = False  # whether older ones may be initialized again
        self.counted: set[str] = set()  # that it counts, and may read or assign to elsewhere
        self.counters: dict[tuple[int, str], Counter] = {}
        self.assigned: dict[tuple[int, str], Counter] = {}
        self._by_global: dict[tuple[int, str], list[FunctionType]] = {}  # what reads or assigns
        self.compares_identities = self.compares_variables = self.compares_arrays = False
        self.sets_any = False  # attributes, by names of its own making
        self.has_dates = False
        self.imported: set[str] = set()  # modules
        self.texts: set[str] = set()  # that code has as constants
        self.replays = False  # what it prints, logs or warns of
        self.asks_id = False  # for identities, by Python's function
        self.locks: list[Any] = []
        self.places = Places()
        self.tables: list[RuleTable] = [default_rules]
        self.reasons: list[str] = []
        self.lines: dict[str, tuple[str, int, str]] = {}  # where a name stands
        self.compared: list[np.ndarray[Any, Any]] = []
        self.links: dict[int, list[Any]] = {}
        self.followed: dict[int, Any] = {}  # what may be copied, by identity
        self.effects: dict[int, Any] = {}  # by identity: stand-ins note whether they are used
        self._visited: set[tuple[int, bool]] = set()
        self._held: list[Any] = []  # as long as identities are asked for
        self._open: list[Open] = []
        for root in roots:
            name = getattr(root, "__name__", type(root).__name__)
            if kind_of(root) == "unknown" and not callable(root) and type(root) is not np.ndarray:
                changes = "whether it has changed since the last call cannot be asked"
                self.reason(f"an argument is of the class {name}, and {changes}")
            self._note_effect(root, name, bound=True)
            self.follow(root, name, bound=True)
        self._follow_attributes()
        self._require_only_counted()
        if self.compares_identities:
            self.places.keep_apart()

    def have_attribute(self, name: str) -> bool:
        """Whether an object, class or module of the user's that was followed has an attribute."""
        return any(name in getattr(each.x, "__dict__", ()) for each in self._open)

    # Following

    def place(self, where: Where, x, text: str, bound: bool) -> None:
        """Note a place and what it holds, and follow that."""
        name = text.rpartition(".")[2].partition("[")[0]
        if name in self.frozen or text in self.frozen:
            return
        self._state_behind(x)
        kind = "effect" if self._note_effect(x, text, bound) else kind_of(x)
        self._note_texts(x)
        if kind == "constant":
            self.places.add(CONSTANT, *where, x, f"{text} is {shown(x)}")
        elif kind == "array":
            self._array(where, x, text, bound)
        elif kind == "text":
            self._entries(where, x, text)
        elif kind == "unknown":
            self._unknown(x, text)
        elif kind == "items" and is_marshalled(x):
            self._marshalled(where, x, text)
        elif x is builtins.__import__:
            return
        elif kind == "effect":
            self.places.add(IDENTICAL, *where, x, f"{text} is {shown(x)}")
        else:
            self.places.add(IDENTICAL, *where, x, f"{text} is {shown(x)}")
            is_initializer = type(x) is FunctionType and x.__code__.co_name == "__init__"
            self.initializes |= is_initializer and name != "__init__"  # by another name
            if kind == "lock" and not any(x is lock for lock in self.locks):
                self.locks.append(x)
            self.follow(x, text, bound)

    def _state_behind(self, x) -> None:
        """Note what the whole process shares, and a value of these classes depends on."""
        if isinstance(x, ABCMeta):
            self._called(get_cache_token, "no class was registered as one of an abstract class")
        is_of_decimals = x is decimal or getattr(x, "__module__", None) == "decimal"
        if is_of_decimals or isinstance(x, decimal.Decimal):
            self._called(context_of_decimals, "decimal numbers are computed with the same digits")
        if x is gc or getattr(x, "__module__", None) == "gc":  # which rests while a run is recorded
            self.reason("it asks the collector of garbage")
        self.has_dates |= isinstance(x, type) and issubclass(x, datetime.date)
        if type(x) is operator.attrgetter:
            self.attributes |= attributes_of_getter(x)
        for name, function in _NUMPYS_STATE.items():
            if x is function:
                self._called(function, f"np.{name}() is as it was")
        if id(x) in _NAMED_AS_ATTRIBUTES:  # imported by its name, not as an attribute of a module
            self.attributes.add(_NAMED_AS_ATTRIBUTES[id(x)])

    def _note_texts(self, x) -> None:
        """Note the names by which code may read attributes: texts, and those in a container."""
        if type(x) is str:
            self.texts.add(x)
        elif type(x) in (tuple, list, dict) and is_marshalled(x):
            for part in x:
                self._note_texts(part)
            for part in x.values() if type(x) is dict else ():
                self._note_texts(part)

    def _called(self, function: Callable[[], Any], sentence: str) -> None:
        """Note what a function returns, once."""
        if sentence not in self.places.sentences:
            self.places.add(CALLED, function, (), function(), sentence)

    def follow(self, x, text: str, bound: bool) -> None:
        """Follow an object into its parts: once for what is bound, once for what is not."""
        if (id(x), bound) in self._visited:
            return
        self._visited.add((id(x), bound))
        self._held.append(x)
        if len(self._visited) > MOST:
            raise TooMuchError
        kind = kind_of(x)
        if kind == "cache" and not bound:
            self.reason(f"{text} has a cache, and what that holds cannot be asked")
        parts = getattr(self, f"_parts_of_{kind}", None)
        if parts is None:
            return
        if bound:
            self.followed[id(x)] = x
        if kind in _HAVE_ATTRIBUTES:
            self._open.append(Open(x, text, bound, parts, set()))
        else:
            self._follow_parts(x, parts(x, text), bound)
        if kind == "function" or type(x) is partial:
            self._open.append(Open(x, text, False, self._parts_of_state, set()))

    def _follow_parts(self, x, parts: Iterator[Any], bound: bool) -> None:
        for where, part, text, part_bound in parts:
            if bound and part_bound:
                self.links.setdefault(id(x), []).append(part)
            self.place(where, part, text, bound and part_bound)

    def _follow_attributes(self) -> None:
        """Follow the attributes that code reads; what is found there may read more of them."""
        is_finished = False
        while not is_finished:
            count = self._extent()
            for each in self._open:  # grows meanwhile
                parts = each.parts(each.x, each.text, each.seen)
                self._follow_parts(each.x, parts, each.bound)
            objects = [each.x for each in self._open if not isinstance(each.x, RuleTable)]
            for name in self._only_counted():
                if not all(can_be_counted(x, name) for x in objects):
                    self.changed.add(name)
            is_finished = count == self._extent()
        for each in self._open:
            if isinstance(each.x, RuleTable):
                continue
            self._note_counted(each.x, each.text)
            if not isinstance(each.x, ModuleType):
                self._note_absent(each.x, each.text)
        if "flags" in self.attributes:
            self.places.keep_flags()
        self._note_numpy()
        if self.has_dates and CLOCKS & self.attributes:
            self.reason(f"it may call {min(CLOCKS & self.attributes)}, which asks a clock")

    def _extent(self) -> list[int]:
        return list(map(len, (self._named(), self.counted, self.texts, self._open)))

    def _named(self) -> set[str]:
        """The attributes that are places: code reads them, or assigns to them."""
        named = self.attributes | self.changed
        return named | self.initialized if self.initializes else named

    def _only_counted(self) -> set[str]:
        return set() if "*" in self.attributes else self.counted - self._named()

    def _note_counted(self, x, text: str) -> None:
        """Note the attributes of an object that code counts, and does not read."""
        state = getattr(x, "__dict__", {})
        counted = self._only_counted()
        if self.executed is None:  # in an initializer, say, which does not run
            assigned = self.counted & self._named() - self.attributes
            for name in sorted(assigned & state.keys()):
                self.reason(f"it counts {text}.{name}, and may assign to it")
            counted |= assigned
        for name in sorted(counted & state.keys()):
            if isinstance(x, ModuleType):
                self._counter(Counter(state, name), (item(name),), f"{text}.{name}")
            else:
                steps = attribute("__dict__"), item(name)
                self._counter(Counter(x, name), steps, f"{text}.{name}")

    def _counter(self, counter: Counter, steps: tuple[Step, ...], text: str) -> None:
        key = id(counter.holder), counter.name
        if key not in self.counters:
            self.counters[key] = counter
            sentence = f"{text} is a whole number, and counted"
            self.places.add(COUNTED, counter.holder, steps, None, sentence)

    def _assignment(self, name: Counter) -> None:
        self.assigned[id(name.holder), name.name] = name

    def _require_only_counted(self) -> None:
        """Note as reasons the global names and variables that one function counts, and another reads;
        and global names to which one assigns that is copied, and which one reads that is not.
        """
        for key, name in self.assigned.items():
            users = {id(f) for f in self._by_global.get(key, ())}
            if len({bound for x, bound in self._visited if x in users}) > 1:
                sentence = f"it assigns to the global {name.name}, and reads it; return it instead"
                self.reason(sentence, name.name)
        read = {(id(p.holder), p.steps) for p in self.places.all if p.kind is not COUNTED}
        for place in self.places.all:
            if place.kind is not COUNTED:
                continue
            what = place.sentence.partition(" ")[0]
            if (id(place.holder), place.steps) in read:
                sentence = f"it counts {what}, and reads it elsewhere; return the count instead"
                self.reason(sentence, what.rpartition(".")[2])
            elif not place.holds():
                sentence = f"it assigns to {what}, which is no whole number; return it instead"
                self.reason(sentence, what.rpartition(".")[2])

    def attributes_assigned(self) -> Iterator[tuple[Any, str]]:
        """The attributes of objects that code may assign to."""
        assigned = self.changed | self.counted
        for each in self._open:
            if type(getattr(each.x, "__dict__", None)) is dict:
                yield from ((each.x, name) for name in assigned)

    def slots_assigned(self) -> Iterator[tuple[Any, str]]:
        """The attributes of the same kind that have slots."""
        assigned = self.changed | self.counted
        for each in self._open:
            if kind_of(each.x) in ("instance", "value", "filled"):
                yield from (
                    (each.x, name) for name in assigned.intersection(slot_names(type(each.x)))
                )

    def containers(self) -> Iterator[Any]:
        """What code may fill: lists, dicts and sets, and the attributes of objects that it sets."""
        yield from (x for x in self._held if isinstance(x, list | deque | dict | set))
        for each in self._open if self.sets_any else ():
            state = getattr(each.x, "__dict__", None)
            if type(state) is dict and not isinstance(each.x, ModuleType):
                yield state

    def _note_numpy(self) -> None:
        """Note by its name what code may call of NumPy, wherever it has the module from."""
        self._note_numpys(
            name for name in NUMPYS & self.attributes if not self.have_attribute(name)
        )
        for name in sorted(_NUMPYS_STATE.keys() & self.attributes):
            self._state_behind(_NUMPYS_STATE[name])

    def _note_numpys(self, names: Iterable[str]) -> None:
        for name in sorted(set(names) - self.frozen):
            self.reason(f"it may call numpy's {name}, which does more than compute", name)

    def reason(self, sentence: str, name: str = "") -> None:
        """Note why the function is left to the tape, and the line where a name stands."""
        if name in self.lines:
            sentence += " ({}:{}, in {})".format(*self.lines[name])
        if sentence not in self.reasons:
            self.reasons.append(sentence)

    def _array(self, where: Where, x: np.ndarray[Any, Any], text: str, bound: bool) -> None:
        if bound and self.inputs and (x.dtype.kind in self.inputs or x.nbytes > COMPARED):
            kind = f"an array of type {x.dtype} and shape {x.shape}"
            self.places.array(*where, x, f"{text} is {kind}, whose entries are read anew")
        else:
            self.compared.append(x)
            self._entries(where, x, text)

    def _entries(self, where: Where, x: np.ndarray[Any, Any], text: str) -> None:
        self.places.entries(*where, x, f"{text} has the same entries")

    def _unknown(self, x, text: str) -> None:
        cls = f"{type(x).__module__}.{type(x).__qualname__}"
        name = text.rpartition(".")[2].partition("[")[0]
        self.reason(
            f"it reads {text}, of the class {cls}, and whether that changes cannot be asked; pass"
            f" it as an argument, or promise that it stays by frozen=({name!r},)",
            name,
        )

    def _marshalled(self, where: Where, x, text: str) -> None:
        if is_unchangeable(x):
            self.places.add(CONSTANT, *where, x, f"{text} is {shown(x)}")
            return
        self._hold_parts(x)
        self.places.add(IDENTICAL, *where, x, f"{text} is the same {type(x).__name__}")
        said = marshal.dumps(x, 2)
        self.places.add(MARSHALLED, *where, said, f"{text} is {shown(x)}")

    def _hold_parts(self, x) -> None:
        """Hold a container of numbers and strings, and those within, as followed ones are."""
        if isinstance(x, list | tuple | dict):
            self._held.append(x)
            for part in x.values() if isinstance(x, dict) else x:
                self._hold_parts(part)

    # Parts, by kind: how each is fetched, what it is, its name, whether arrays in it are inputs

    def _parts_of_function(self, f: FunctionType, text: str) -> Iterator[Any]:
        yield (f, (attribute("__code__"),)), f.__code__, f"the code of {text}", True
        if self.executed is not None and f.__code__ not in self.executed.offsets:
            return
        read = names_read(f.__code__, self.executed)
        if read is None:
            self.reason("the bytecode of this Python is not known here")
            return
        self.texts.update(const for const in f.__code__.co_consts if type(const) is str)
        yield from self._variables(f, read, text)
        self.lines = read.lines | self.lines
        self.attributes |= read.attributes
        self.changed |= read.attributes_changed
        self.initialized |= read.attributes_initialized
        is_initializer = f.__code__.co_name == "__init__"
        self.initializes |= "__init__" in read.attributes and not is_initializer
        self.initializes |= f.__code__.co_name == "__new__"
        self.counted |= read.attributes_counted
        self.compares_identities |= read.compares_identities
        self.compares_variables |= read.compares_variables
        self.compares_arrays |= any(may_be_array(f, chain) for chain in read.compared)
        asks_classes = read.compares_identities and "type" in read.globals_read
        if asks_classes and any(may_be_class_of_value(f, chain) for chain in read.compared):
            sentence = f"{text} may ask for the class of a value (type(x) is C); ask isinstance"
            self.reason(sentence, "type")
        if read.attributes & _REFLECTIVE_ATTRIBUTES:
            self.attributes.add("*")
        self._note_changes(f, read, text)
        yield from self._globals(f, read)
        yield from self._rules(f)

    def _parts_of_library(self, f: FunctionType, text: str) -> Iterator[Any]:
        """The objects in an installed function that may be the user's: a function that it decorates,
        say, or a list of options. Its globals are its own.
        """
        for k, cell in enumerate(f.__closure__ or ()):
            content = getattr(cell, "cell_contents", None)
            if may_change(content):
                steps = attribute("__closure__"), item(k), attribute("cell_contents")
                yield (f, steps), content, text, False
        for k, part in enumerate(f.__defaults__ or ()):
            if may_change(part):
                yield (f, (attribute("__defaults__"), item(k))), part, text, False
        for held in ("__kwdefaults__", "__dict__"):
            for key, part in (getattr(f, held) or {}).items():
                if may_change(part):
                    yield (f, (attribute(held), item(key))), part, text, False
        yield from self._rules(f)

    def _variables(self, f: FunctionType, read: NamesRead, text: str) -> Iterator[Any]:
        names = variables_of_code(f.__code__)
        for name, cell in zip(names, f.__closure__ or (), strict=True):
            content = getattr(cell, "cell_contents", _EMPTY)
            if name in read.variables_counted:
                self._counter(Counter(cell, name), (attribute("cell_contents"),), name)
            elif content is not _EMPTY:
                yield (cell, (attribute("cell_contents"),)), content, f"{name}", True
        defaults = attribute("__defaults__")
        self.places.add(IDENTICAL, f, (defaults,), f.__defaults__, f"{text} has its defaults")
        for k, part in enumerate(f.__defaults__ or ()):
            yield (f, (defaults, item(k))), part, f"a default of {text}", True
        for key, part in (f.__kwdefaults__ or {}).items():
            yield (f, (attribute("__kwdefaults__"), item(key))), part, f"the default of {key}", True

    def _note_changes(self, f: FunctionType, read: NamesRead, text: str) -> None:
        for name in sorted(read.globals_counted):
            self._counter(Counter(f.__globals__, name), (item(name),), name)
        for name in sorted(read.globals_changed):
            self._assignment(Counter(f.__globals__, name))
        for name in sorted(read.globals_changed | read.globals_read):
            self._by_global.setdefault((id(f.__globals__), name), []).append(f)
        for name, cell in zip(variables_of_code(f.__code__), f.__closure__ or (), strict=True):
            if name in read.variables_changed - read.variables_counted:
                # another one would be copied, and its variable with it
                if kind_of(getattr(cell, "cell_contents", _EMPTY)) == "constant":
                    self._assignment(Counter(cell, name))
                else:
                    outside = "a variable outside of it; return it instead"
                    self.reason(f"{text} assigns to {name}, {outside}", name)
        for name in sorted(read.attributes & _HOLD_VARIABLES):
            sentence = f"{text} reads {name}, where variables are found without their names"
            self.reason(sentence, name)
        if "__subclasses__" in read.attributes:
            self.reason(f"{text} reads __subclasses__, which any module can add to")
        file = reading(read.attributes)
        if file is not None and file not in self.frozen:
            self.reason(f"{text} calls {file}, which may read a file", file)
        for first, *names in sorted(read.chains):
            home = getattr(f.__globals__.get(first), "__name__", None)
            if home in ("numpy", "chainrules_tape.numpy"):
                self._note_numpys(NUMPYS.intersection(names[:1]))
        drawn = drawing(sorted(read.chains), f.__globals__.get)
        if drawn is not None and drawn.partition(".")[0] not in self.frozen:
            sentence = f"{text} calls {drawn}, whose result is another one each time"
            self.reason(sentence, drawn.rpartition(".")[2])

    def _note_effect(self, x, text: str, bound: bool) -> bool:
        """Whether an object does more than compute; a stand-in notes its use, where one can be."""
        effect = effect_of(x)
        if effect is None:
            return False
        if is_noted_when_called(x):
            self.replays = True
            return True
        if bound:
            self.effects[id(x)] = x
        else:
            self.reason(
                f"it reaches {text}: {effect} does more than compute; do that outside of it",
                text.rpartition(".")[2].partition("[")[0],
            )
        return True

    def _globals(self, f: FunctionType, read: NamesRead) -> Iterator[Any]:
        space, names = f.__globals__, set(read.globals_read)
        if "globals" in names - space.keys():  # where it reads by names of its own making
            self.places.add(KEYS, space, (), tuple(space), "its module has the same names")
            names |= {name for name in space if not is_special(name)}
        for name in sorted(names):
            if name in self.frozen:
                continue
            if name in space:
                found = space[name]
                is_module = isinstance(found, ModuleType) and effect_of(found) is not None
                self.has_dates |= found is datetime
                if is_module and name in read.globals_read and is_harmless(found, name, read):
                    self.replays |= found is warnings or found is logging
                    self.places.add(IDENTICAL, space, (item(name),), found, f"{name} is the same")
                    continue
                yield (space, (item(name),)), found, name, True
                self._note_reflection(name, found)
                if kind_of(found) == "module":
                    yield from self._absent_of_module(found, name, read)
            else:
                self.places.add(ABSENT, space, (), name, f"{name} is not among the globals")
                yield from self._builtin(name)
        imported = with_parents(read.imported)
        if "__import__" in read.globals_read:
            imported |= with_parents(self.texts & sys.modules.keys())
        self.imported |= imported
        for name in sorted(imported):
            module = sys.modules.get(name)
            if module is None:
                sentence = f"no module {name} has been imported"
                self.places.add(ABSENT, sys.modules, (), name, sentence)
            else:
                is_noted = effect_of(module) is not None
                yield (sys.modules, (item(name),)), module, name, is_noted

    def _builtin(self, name: str) -> Iterator[Any]:
        """The builtin that code reads by a name which its module does not have."""
        if name not in builtins.__dict__:
            self.places.add(ABSENT, builtins.__dict__, (), name, f"{name} is no builtin")
            return
        found = builtins.__dict__[name]
        if id(found) in STAND_INS or found is setattr or found is globals:
            if found is setattr:  # by any name: what it has changed is seen at the places
                self.attributes.add("*")
                self.sets_any = True
            elif found is not globals:  # print, whose calls are noted
                self.replays = True
                self.asks_id |= found is id
            self.places.add(
                IDENTICAL, builtins.__dict__, (item(name),), found, f"{name} is the same"
            )
            return
        self._note_reflection(name, found)
        is_noted = effect_of(found) is not None
        if is_noted or not isinstance(found, BuiltinFunctionType | type):
            yield (builtins.__dict__, (item(name),)), found, name, is_noted

    def _absent_of_module(self, x: ModuleType, text: str, read: NamesRead) -> Iterator[Any]:
        """Names that code reads of a module which has none, and what the module does then."""
        asked = {chain[1] for chain in read.chains if chain[0] == text and len(chain) > 1}
        for name in sorted(asked - x.__dict__.keys()):
            self.places.add(ABSENT, x.__dict__, (), name, f"{text} has no {name}")
            if "__getattr__" in x.__dict__:
                steps = (item("__getattr__"),)
                yield (x.__dict__, steps), x.__dict__["__getattr__"], f"{text}.__getattr__", True
            else:
                sentence = f"{text} has no __getattr__"
                self.places.add(ABSENT, x.__dict__, (), "__getattr__", sentence)

    def _note_reflection(self, name: str, found) -> None:
        if name in _REFLECTIVE or found is vars:
            self.attributes.add("*")

    def _rules(self, f) -> Iterator[Any]:
        """The rules that users wrote for a function, which read surroundings of their own."""
        for table in self.tables:
            for rule in table.rules(f):
                if kind_of(rule.function) == "function":
                    yield (rule, (attribute("function"),)), rule.function, rule.name, False

    def _parts_of_partial(self, x, text: str) -> Iterator[Any]:
        yield (x, (attribute("func"),)), x.func, text, True
        for k, part in enumerate(x.args):
            if isinstance(part, RuleTable):
                self._add_table(part)
            else:
                name = name_of_part(part, f"argument {k} of {text}")
                yield (x, (attribute("args"), item(k))), part, name, True
        keywords = (attribute("keywords"),)
        self.places.add(KEYS, x, keywords, tuple(x.keywords), f"{text} has the same options")
        for key, part in x.keywords.items():
            yield (x, (*keywords, item(key))), part, key, True

    def _add_table(self, table: RuleTable) -> None:
        if not any(table is known for known in self.tables):
            self.tables.append(table)

    def _parts_of_compiled(self, x, text: str) -> Iterator[Any]:
        yield (x, (attribute("function"),)), x.function, text, True

    def _parts_of_seen(self, x, text: str) -> Iterator[Any]:
        if not x.scope.is_entered():
            raise OutOfScopeError(x.scope)
        yield (x, (attribute("function"),)), x.function, text, True
        called = x.scope.called(x.function)
        if called is not x.function:  # a partial, in which the scope puts other functions
            self.follow(called, text, True)
            self.links.setdefault(id(x), []).append(called)

    def _parts_of_method(self, x, text: str) -> Iterator[Any]:
        yield (x, (attribute("__func__"),)), x.__func__, text, True
        yield (x, (attribute("__self__"),)), x.__self__, text.rpartition(".")[0] or text, True

    def _parts_of_wrapper(self, x, text: str) -> Iterator[Any]:
        for name in ("__func__", "fget", "fset", "fdel", "func", "__wrapped__", "dispatcher"):
            found = getattr(x, name, None)
            if found is not None:
                yield (x, (attribute(name),)), found, text, False

    def _parts_of_members(self, x: set[Any] | frozenset[Any], text: str) -> Iterator[Any]:
        if all(is_unchangeable(part) or type(part) in _MARSHALLED for part in x):
            said = marshal.dumps(tuple(x), 2)
            self.places.add(MEMBERS, x, (), said, f"{text} has the same members")
        elif all(
            isinstance(part, type | FunctionType) for part in x
        ):  # which equal themselves alone
            self.places.add(KEYS, x, (), tuple(x), f"{text} has the same members")
            for part in x:
                self.follow(part, f"a member of {text}", bound=False)
        elif type(x) is set or any(kind_of(part) != "constant" for part in x):
            self._unknown(x, text)
        return iter(())

    def _parts_of_reference(self, x, text: str) -> Iterator[Any]:
        yield (x, (CALL,)), x(), f"{text}()", False

    def _parts_of_view(self, x, text: str) -> Iterator[Any]:
        self.places.add(KEYS, x, (), tuple(x), f"{text} has the same keys")
        for key, part in x.items():
            yield (x, (item(key),)), part, f"{text}[{shown(key)}]", False

    def _parts_of_cache(self, x, text: str) -> Iterator[Any]:
        yield (x, (attribute("__wrapped__"),)), x.__wrapped__, text, False

    def _parts_of_asked(self, x, text: str) -> Iterator[Any]:
        steps = attribute("__wrapped__"), attribute("__wrapped__")
        yield (x, steps), x.__wrapped__.__wrapped__, text, False

    def _parts_of_items(self, x, text: str) -> Iterator[Any]:
        cls = type(x)
        if kind_of(cls) == "class":  # of named tuples, with methods
            yield (x, (attribute("__class__"),)), cls, cls.__name__, False
        self.places.add(LENGTH, x, (), len(x), f"{text} has {len(x)} items")
        if isinstance(x, dict):
            self.places.add(KEYS, x, (), tuple(x), f"{text} has the same keys")
            if isinstance(x, defaultdict):
                name = "default_factory"
                yield (x, (attribute(name),)), x.default_factory, f"{text}.{name}", False
            for key, part in x.items():
                if kind_of(key) not in ("constant", "unknown"):
                    self.follow(key, f"a key of {text}", bound=False)
                yield (x, (item(key),)), part, f"{text}[{shown(key)}]", True
            return
        for k, part in enumerate(x):
            yield (x, (item(k),)), part, f"{text}[{k}]", True

    # Parts of what has attributes, as far as they are not in `seen`: more of them may be named later

    def _parts_of_instance(self, x, text: str, seen: set[str]) -> Iterator[Any]:
        cls = type(x)
        if isinstance(x, RuleTable):
            self._add_table(x)
            return
        users = is_users(cls.__module__)
        if "__class__" not in seen:
            seen.add("__class__")
            says_so = getattr(x, "__class__", None) is cls  # NumPy has objects that say none
            step = attribute("__class__") if says_so else CLASS
            yield (x, (step,)), cls, cls.__name__, False
        state = getattr(x, "__dict__", {})
        for name in sorted(self._unseen(state.keys(), seen, users), key=str):
            if not self._is_written_by_name(state[name], name):
                continue
            seen.add(name)
            if users or may_change(state[name], constants=True):
                steps = attribute("__dict__"), item(name)
                yield (x, steps), state[name], f"{text}.{name}", users
            elif type(state[name]) is set:
                steps = attribute("__dict__"), item(name)
                sentence = f"{text}.{name} has the same members"
                self.places.add(KEYS, x, steps, tuple(state[name]), sentence)
        for name in self._unseen(slot_names(cls), seen, users):
            seen.add(name)
            if hasattr(x, name):
                yield (x, (attribute(name),)), getattr(x, name), f"{text}.{name}", users
            elif users:
                self.places.add(UNSET, x, (), name, f"{text} has no {name}")

    def _parts_of_value(self, x, text: str, seen: set[str]) -> Iterator[Any]:
        for where, part, name, _ in self._parts_of_instance(x, text, seen):
            yield where, part, name, False
        if isinstance(x, Enum) and "value" in self.attributes and "value" not in seen:
            seen.add("value")
            yield (x, (attribute("_value_"),)), x.value, f"{text}.value", False

    def _parts_of_state(self, x, text: str, seen: set[str]) -> Iterator[Any]:
        """The attributes of a function, or of a partial one."""
        for name in self._unseen(list(x.__dict__), seen, users=True):
            seen.add(name)
            steps = attribute("__dict__"), item(name)
            yield (x, steps), x.__dict__[name], f"{text}.{name}", False
        named = sorted(_ATTRIBUTES_OF_FUNCTIONS - seen)
        for name in named if type(x) is FunctionType else ():
            if name in self.attributes or "*" in self.attributes:
                seen.add(name)
                yield (x, (attribute(name),)), getattr(x, name), f"{text}.{name}", False

    def _parts_of_filled(self, x, text: str, seen: set[str]) -> Iterator[Any]:
        """The attributes and items of a user's dict or list: what its methods do is followed."""
        for where, part, name, _ in self._parts_of_instance(x, text, seen):
            yield where, part, name, False
        if "items" in seen:
            return
        seen.add("items")
        own_class: Any = type(x)
        cls: Any = filled_class(own_class)
        own = items_as(cls)
        held = cls.copy(x)
        keys = held if cls is dict else range(len(held))
        self.places.add(LENGTH, x, (own,), len(held), f"{text} has {len(held)} items")
        if cls is dict:
            self.places.add(KEYS, x, (own,), tuple(keys), f"{text} has the same keys")
        for key in keys:
            if kind_of(key) not in ("constant", "unknown"):
                self.follow(key, f"a key of {text}", bound=False)
            yield (x, (own, item(key))), held[key], f"{text}[{shown(key)}]", False

    def _note_absent(self, x, text: str) -> None:
        """Note that an object or a class has no further attributes of those that code reads."""
        state = getattr(x, "__dict__", None)
        if state is None:
            return
        own = (attribute("__dict__"),)
        if "*" in self.attributes:
            self.places.add(KEYS, x, own, tuple(state), f"{text} has the same attributes")
            return
        asked = _ASKED_BY_PYTHON if isinstance(x, type) else frozenset()
        absent = frozenset((self._named() | self.counted | asked) - state.keys())
        self.places.add(DISJOINT, x, own, absent, f"{text} has no others of the attributes read")

    def _unseen(self, names: Iterable[str], seen: set[str], users: bool) -> Iterable[str]:
        """The new names by which code that was reached may read an attribute of an object."""
        if not users or "*" in self.attributes:
            named = (name for name in names if name not in seen)
            return [n for n in named if not users or n in self.attributes or not is_special(n)]
        return [name for name in names if name not in seen and self._is_named(name)]

    def _is_named(self, name: str) -> bool:
        is_named = name in self.attributes or name in self.changed
        return is_named or (self.initializes and name in self.initialized)

    def _parts_of_class(self, cls: type, text: str, seen: set[str]) -> Iterator[Any]:
        if "__mro__" not in seen:
            seen.add("__mro__")
            sentence = f"{text} has its bases"
            self.places.add(IDENTICAL, cls, (attribute("__mro__"),), cls.__mro__, sentence)
            made_by = type(cls)
            if kind_of(made_by) == "class":
                self.initializes = True  # by a metaclass, maybe
                yield (cls, (attribute("__class__"),)), made_by, made_by.__name__, False
            if getattr(cls, "_is_protocol", False):  # its names are asked by `isinstance`
                self.attributes |= {name for name in cls.__dict__ if not is_special(name)}
                self.attributes |= getattr(cls, "__annotations__", {}).keys()
            yield from self._special_methods(cls, text, seen)
            yield from self._bases(cls)
        for name in self._unseen(list(cls.__dict__), seen, users=True):
            seen.add(name)
            steps = attribute("__dict__"), item(name)
            yield (cls, steps), cls.__dict__[name], f"{text}.{name}", False

    def _special_methods(self, cls: type, text: str, seen: set[str]) -> Iterator[Any]:
        """The methods of a class that Python calls without naming them."""
        for name, part in list(cls.__dict__.items()):
            if not is_special(name) and name != "__weakref__":
                continue
            if callable(part) or kind_of(part) == "wrapper":
                seen.add(name)
                yield (cls, (attribute("__dict__"), item(name))), part, f"{text}.{name}", False

    def _bases(self, cls: type) -> Iterator[Any]:
        for k, base in enumerate(cls.__mro__[1:], start=1):
            if kind_of(base) == "class":
                yield (cls, (attribute("__mro__"), item(k))), base, base.__name__, False

    def _parts_of_module(self, x: ModuleType, text: str, seen: set[str]) -> Iterator[Any]:
        if "*" in self.attributes:
            names = {name for name in x.__dict__ if not is_special(name)} | self._named()
            names = {name for name in names if self._may_be_read(x.__dict__.get(name), name)}
        else:
            names = self._named()
        for name in sorted((names & x.__dict__.keys()) - seen):
            seen.add(name)
            yield (x.__dict__, (item(name),)), x.__dict__[name], f"{text}.{name}", True

    def _may_be_read(self, x, name: str) -> bool:
        """Whether code that reads names of its own making may read this one of a module: what does
        more than compute is written there by its name.
        """
        return kind_of(x) != "unknown" and self._is_written_by_name(x, name)

    def _is_written_by_name(self, x, name: str) -> bool:
        does_more = effect_of(x) is not None or effect_of(type(x)) is not None
        return not does_more or name in self._named() | self.texts


def context_of_decimals() -> tuple[Any, ...]:
    """The settings on which results of decimal numbers depend, in this thread.

    >>> context_of_decimals()[0]
    28
    """
    now = decimal.getcontext()
    traps = tuple(signal for signal, is_set in now.traps.items() if is_set)
    return now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, traps


def attributes_of_getter(x: Any) -> set[str]:
    """The attributes that an `operator.attrgetter` reads.

    >>> sorted(attributes_of_getter(operator.attrgetter("rate", "model.weights")))
    ['model', 'rate', 'weights']
    """
    return {name for chain in x.__reduce__()[1] for name in chain.split(".")}


def may_change(x, constants: bool = False) -> bool:
    """Whether what an installed package holds is followed: all that may be, or lead to, a user's.

    Its loggers are its own. Constants are only followed where they can be exchanged.
    """
    if is_logger(x):
        return False
    kind = kind_of(x)
    if kind == "constant":
        return constants or effect_of(x) is not None
    return kind != "unknown"


def with_parents(modules: Iterable[str]) -> set[str]:
    """The names of modules, and of the packages that they are in.

    >>> sorted(with_parents({"os.path"}))
    ['os', 'os.path']
    """
    return {name for full in modules for name in accumulate(full.split("."), "{}.{}".format)}


def may_be_array(f: FunctionType, chain: tuple[str, ...]) -> bool:
    """Whether what a function reads by a chain of names may be an array; no names may be any."""
    found = found_by(f, chain)
    return found is _EMPTY or isinstance(found, np.ndarray)


def may_be_class_of_value(f: FunctionType, chain: tuple[str, ...]) -> bool:
    """Whether what a function reads by a chain of names may be the class of an array or a number."""
    found = found_by(f, chain)
    return not isinstance(found, type) or issubclass(found, _VALUES)


def found_by(f: FunctionType, chain: tuple[str, ...]) -> Any:
    """What a function finds by a chain of names; `_EMPTY` where that may be anything."""
    if not chain:
        return _EMPTY
    first, *others = chain
    found = f.__globals__.get(first, getattr(builtins, first, None))
    for name in others:
        if not isinstance(found, ModuleType | type):
            return _EMPTY
        found = getattr(found, name, None)
    return found


def is_special(name: str) -> bool:
    """Whether a name is one that Python gives a meaning to."""
    return name.startswith("__") and name.endswith("__")


def is_marshalled(x) -> bool:
    """Whether a value consists of numbers and strings alone, so that it is compared at once."""
    if type(x) is dict:
        return all(is_marshalled(part) for pair in x.items() for part in pair)
    if type(x) in (tuple, list):
        return all(map(is_marshalled, x))
    return type(x) in _MARSHALLED  # arrays are marshalled, too, as bytes


def is_unchangeable(x) -> bool:
    """Whether a value, of numbers and strings alone, is a tuple without a list or dict within."""
    return type(x) is tuple and all(
        type(part) in _MARSHALLED or is_unchangeable(part) for part in x
    )


def name_of_part(part, otherwise: str) -> str:
    """The name of a function; something else for other values."""
    name = getattr(part, "__name__", None)
    return name if isinstance(name, str) else otherwise


def shown(x) -> str:
    """A value in a few words; nothing of the user's is called for it."""
    if not is_marshalled(x) and not isinstance(x, np.generic | np.dtype):
        return f"the same {type(x).__name__}"
    text = _short.repr(x) if isinstance(x, tuple | list | dict) else repr(x)
    return text if len(text) <= 40 else f"{text[:37]}..."
