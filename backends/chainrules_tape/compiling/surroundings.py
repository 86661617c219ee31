"""Find what a function reads beside its arguments: global names, captured variables, attributes.

`Surroundings` follows a function into all that it can reach by name: the functions it calls, the
objects whose attributes it reads, the containers that hold them. Each place that it comes by is
put into `places`, to be checked before a program runs. Arrays of numbers are inputs, where the
function can be given others in their place (`rebinding`), else they are compared entry by entry.

An attribute of an object is a place only if some code that was reached names it: a counter that
only other code touches may change.
"""

import builtins
import marshal
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np

from chainrules_py.introspection.names_read import NamesRead, names_read, variables_of_code
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_tape.compiling.effects import drawing, effect_of
from chainrules_tape.compiling.kinds_of_values import is_users, kind_of
from chainrules_tape.compiling.places import Places

MOST = 20_000  # objects that are followed before a function is left to the tape
COMPARED = 2**16  # bytes of an array, which are compared in 10 us
_REFLECTIVE = frozenset(
    {
        *("getattr", "vars", "hasattr", "dir", "attrgetter", "asdict", "astuple", "replace"),
        *("deepcopy", "copy", "__dict__", "__getattribute__", "fields", "flatten", "tree_map"),
    }
)
_EMPTY = object()
_MARSHALLED = (bool, int, float, complex, str, bytes, NoneType)


class TooMuchError(Exception):
    """There is more to follow than `MOST` objects."""


class Surroundings:
    """Collect what functions and objects read: `places`, `tables`; `reasons` why there may be more.

    `bound` are what copies can be made of, by `rebinding`: not methods of classes, say. `links` are
    the parts of each of these by its identity.
    """

    def __init__(
        self,
        roots: list[Any],
        frozen: frozenset[str] = frozenset(),
        *,
        inputs: str = "fciub",
        attributes: frozenset[str] = frozenset(),
    ) -> None:
        self.frozen, self.inputs = frozen, inputs
        self.attributes = set(attributes)
        self.places = Places()
        self.tables: list[RuleTable] = [default_rules]
        self.reasons: list[str] = []
        self.compared: list[np.ndarray[Any, Any]] = []
        self.links: dict[int, list[Any]] = {}
        self.followed: dict[int, Any] = {}  # what may be copied, by identity
        self._visited: set[tuple[int, bool]] = set()
        self._held: list[Any] = []  # as long as identities are asked for
        for root in roots:
            self.follow(root, getattr(root, "__name__", type(root).__name__), bound=True)

    # Following

    def place(self, fetch: str, x: Any, text: str, bound: bool) -> None:
        """Note a place and what it holds, and follow that."""
        name = text.rpartition(".")[2].partition("[")[0]
        if name in self.frozen or text in self.frozen:
            return
        kind = kind_of(x)
        if kind == "constant":
            self.places.constant(fetch, x, f"{text} is {shown(x)}")
        elif kind == "array":
            self._array(fetch, x, text, bound)
        elif kind == "text":
            self.places.entries(fetch, x, f"{text} has the same entries")
        elif kind == "unknown":
            self._unknown(x, text)
        elif kind == "items" and is_marshalled(x):
            self._marshalled(fetch, x, text)
        else:
            self.places.identical(fetch, x, f"{text} is {shown(x)}")
            self.follow(x, text, bound)

    def follow(self, x: Any, text: str, bound: bool) -> None:
        """Follow an object into its parts: once for what is bound, once for what is not."""
        if (id(x), bound) in self._visited:
            return
        self._visited.add((id(x), bound))
        self._held.append(x)
        if len(self._visited) > MOST:
            raise TooMuchError
        kind = kind_of(x)
        parts = getattr(self, f"_parts_of_{kind}", None)
        if parts is None:
            return
        if kind == "function" and not bound:
            self._note_effects(x, text)
        if bound:
            self.followed[id(x)] = x
        for fetch, part, part_text, part_bound in parts(x, text):
            if bound and part_bound:
                self.links.setdefault(id(x), []).append(part)
            self.place(fetch, part, part_text, bound and part_bound)

    def reason(self, sentence: str) -> None:
        """Note why the function is left to the tape."""
        if sentence not in self.reasons:
            self.reasons.append(sentence)

    def _array(self, fetch: str, x: np.ndarray[Any, Any], text: str, bound: bool) -> None:
        if bound and self.inputs and (x.dtype.kind in self.inputs or x.nbytes > COMPARED):
            kind = f"an array of type {x.dtype} and shape {x.shape}"
            self.places.array(fetch, x, f"{text} is {kind}, whose entries are read anew")
        else:
            self.compared.append(x)
            self.places.entries(fetch, x, f"{text} has the same entries")

    def _unknown(self, x: Any, text: str) -> None:
        cls = f"{type(x).__module__}.{type(x).__qualname__}"
        name = text.rpartition(".")[2].partition("[")[0]
        self.reason(
            f"it reads {text}, of the class {cls}, and whether that changes cannot be asked; pass"
            f" it as an argument, or promise that it stays by frozen=({name!r},)"
        )

    def _marshalled(self, fetch: str, x: Any, text: str) -> None:
        if isinstance(x, tuple):
            self.places.constant(fetch, x, f"{text} is {shown(x)}")
            return
        self.places.identical(fetch, x, f"{text} is the same {type(x).__name__}")
        self.places.known["dumps"] = marshal.dumps
        said = self.places.name(marshal.dumps(x, 2))
        self.places.holds(f"dumps({fetch}, 2) == {said}", f"{text} is {shown(x)}")

    # Parts, by kind: how each is fetched, what it is, its name, whether arrays in it are inputs

    def _parts_of_function(self, f: FunctionType, text: str) -> Iterator[Any]:
        own = self.places.name(f)
        yield f"{own}.__code__", f.__code__, f"the code of {text}", True
        yield from self._variables(f, text)
        read = names_read(f.__code__)
        if read is None:
            self.reason("the bytecode of this Python is not known here")
            return
        self.attributes |= read.attributes
        self._note_changes(f, read, text)
        yield from self._globals(f, read)
        yield from self._rules(f)

    def _parts_of_library(self, f: FunctionType, text: str) -> Iterator[Any]:
        own = self.places.name(f)
        wrapped = getattr(f, "__wrapped__", None)
        if kind_of(wrapped) == "function":
            yield f"{own}.__wrapped__", wrapped, text, False
        cells = f.__closure__ or ()
        for k, cell in enumerate(cells):
            content = getattr(cell, "cell_contents", None)
            if kind_of(content) in ("function", "partial", "class", "method"):
                yield f"{own}.__closure__[{k}].cell_contents", content, text, False
        yield from self._rules(f)

    def _variables(self, f: FunctionType, text: str) -> Iterator[Any]:
        own = self.places.name(f)
        names = variables_of_code(f.__code__)
        for name, cell in zip(names, f.__closure__ or (), strict=True):
            content = getattr(cell, "cell_contents", _EMPTY)
            if content is not _EMPTY:
                yield f"{self.places.name(cell)}.cell_contents", content, f"{name}", True
        self.places.identical(f"{own}.__defaults__", f.__defaults__, f"{text} has its defaults")
        for k, part in enumerate(f.__defaults__ or ()):
            yield f"{own}.__defaults__[{k}]", part, f"a default of {text}", True
        for key, part in (f.__kwdefaults__ or {}).items():
            yield f"{own}.__kwdefaults__[{key!r}]", part, f"the default of {key}", True

    def _note_changes(self, f: FunctionType, read: NamesRead, text: str) -> None:
        for name in sorted(read.globals_changed):
            self.reason(f"{text} assigns to the global {name}; return it instead")
        for name in sorted(read.variables_changed):
            self.reason(f"{text} assigns to {name}, a variable outside of it; return it instead")
        drawn = drawing(sorted(read.chains), f.__globals__.get)
        if drawn is not None and drawn.partition(".")[0] not in self.frozen:
            self.reason(f"{text} calls {drawn}, whose result is another one each time")

    def _note_effects(self, f: FunctionType, text: str) -> None:
        read = names_read(f.__code__)
        for name in sorted(read.globals_read) if read else ():
            found = f.__globals__.get(name, getattr(builtins, name, None))
            effect = effect_of(name, found)
            if effect is not None and name not in self.frozen:
                self.reason(f"{text} calls {effect}, which does more than compute")

    def _globals(self, f: FunctionType, read: NamesRead) -> Iterator[Any]:
        space = self.places.name(f.__globals__)
        for name in sorted(read.globals_read):
            if name in self.frozen:
                continue
            if name in f.__globals__:
                found = f.__globals__[name]
                yield f"{space}[{name!r}]", found, name, True
                self._note_reflection(name, found)
            elif hasattr(builtins, name):
                self.places.holds(f"{name!r} not in {space}", f"{name} is Python's own")
                self._note_reflection(name, getattr(builtins, name))
        for name in sorted(read.imported):
            module = sys.modules.get(name)
            if module is not None and is_users(name):
                fetch = f"{self.places.name(sys.modules)}[{name!r}]"
                yield fetch, module, name, False

    def _note_reflection(self, name: str, found: Any) -> None:
        if name in _REFLECTIVE or found is vars:
            self.attributes.add("*")

    def _rules(self, f: Any) -> Iterator[Any]:
        """The rules that users wrote for a function, which read surroundings of their own."""
        for table in self.tables:
            for rule in table.rules(f):
                if kind_of(rule.function) == "function":
                    held = self.places.name(rule)
                    yield f"{held}.function", rule.function, rule.name, False

    def _parts_of_partial(self, x: Any, text: str) -> Iterator[Any]:
        own = self.places.name(x)
        yield f"{own}.func", x.func, text, True
        for k, part in enumerate(x.args):
            if isinstance(part, RuleTable):
                self._add_table(part)
            else:
                yield f"{own}.args[{k}]", part, name_of_part(part, f"argument {k} of {text}"), True
        for key, part in x.keywords.items():
            yield f"{own}.keywords[{key!r}]", part, key, True

    def _add_table(self, table: RuleTable) -> None:
        if not any(table is known for known in self.tables):
            self.tables.append(table)

    def _parts_of_compiled(self, x: Any, text: str) -> Iterator[Any]:
        yield f"{self.places.name(x)}.function", x.function, text, True

    def _parts_of_method(self, x: Any, text: str) -> Iterator[Any]:
        own = self.places.name(x)
        yield f"{own}.__func__", x.__func__, text, True
        yield f"{own}.__self__", x.__self__, text.rpartition(".")[0] or text, True

    def _parts_of_wrapper(self, x: Any, text: str) -> Iterator[Any]:
        own = self.places.name(x)
        for attribute in ("__func__", "fget", "func", "__wrapped__"):
            found = getattr(x, attribute, None)
            if found is not None:
                yield f"{own}.{attribute}", found, text, False

    def _parts_of_items(self, x: Any, text: str) -> Iterator[Any]:
        own = self.places.name(x)
        self.places.holds(f"len({own}) == {len(x)}", f"{text} has {len(x)} items")
        if isinstance(x, dict):
            keys = self.places.name(tuple(x))
            self.places.holds(f"tuple({own}) == {keys}", f"{text} has the same keys")
            for key, part in x.items():
                yield f"{own}[{self._key(key)}]", part, f"{text}[{shown(key)}]", True
            return
        for k, part in enumerate(x):
            yield f"{own}[{k}]", part, f"{text}[{k}]", True

    def _key(self, key: Any) -> str:
        return repr(key) if type(key) in (str, int) else self.places.name(key)

    def _parts_of_instance(self, x: Any, text: str) -> Iterator[Any]:
        cls, own = type(x), self.places.name(x)
        if isinstance(x, RuleTable):
            self._add_table(x)
            return
        users = is_users(cls.__module__)
        yield f"{own}.__class__", cls, cls.__name__, False
        state = getattr(x, "__dict__", {})
        for name in sorted(state, key=str):
            if self.is_read(name, users) and (users or kind_of(state[name]) != "unknown"):
                fetch = f"{own}.__dict__[{name!r}]"
                yield fetch, state[name], f"{text}.{name}", users
        self.places.lines.append(f"n = {own}.__dict__" if state else "n = ()")
        for name in self._named_by_class_alone(cls, state):
            self.places.holds(f"{name!r} not in n", f"{text}.{name} is that of its class")
        for name in slots_of(cls):
            if hasattr(x, name) and self.is_read(name, users):
                yield f"{own}.{name}", getattr(x, name), f"{text}.{name}", users

    def _named_by_class_alone(self, cls: type, state: dict[str, Any]) -> list[str]:
        named = {name for base in cls.__mro__ for name in base.__dict__}
        return sorted((self.attributes & named) - state.keys())

    def is_read(self, name: str, users: bool) -> bool:
        """Whether code that was reached may read an attribute of an object by its name."""
        return not users or name in self.attributes or "*" in self.attributes

    def _parts_of_class(self, cls: type, text: str) -> Iterator[Any]:
        own = self.places.name(cls)
        self.places.identical(f"{own}.__mro__", cls.__mro__, f"{text} has its bases")
        for name, part in list(cls.__dict__.items()):
            is_special = name.startswith("__") and name.endswith("__")
            if (is_special and not callable(part)) or name in ("__weakref__", "__doc__"):
                continue
            if is_special or self.is_read(name, users=True):
                yield f"{own}.__dict__[{name!r}]", part, f"{text}.{name}", False
        for base in cls.__mro__[1:]:
            if kind_of(base) == "class":
                yield f"{own}.__mro__[{cls.__mro__.index(base)}]", base, base.__name__, False

    def _parts_of_module(self, x: ModuleType, text: str) -> Iterator[Any]:
        space = self.places.name(x.__dict__)
        for name in sorted(self.attributes & x.__dict__.keys()):
            yield f"{space}[{name!r}]", x.__dict__[name], f"{text}.{name}", True


def surroundings_of(
    roots: list[Any], frozen: frozenset[str] = frozenset(), *, inputs: str = "fciub"
) -> Surroundings:
    """Follow functions and objects until no further attribute is found to be read.

    `inputs` are the kinds of types of the captured arrays that are inputs.
    """
    attributes: frozenset[str] = frozenset()
    while True:
        found = Surroundings(roots, frozen, inputs=inputs, attributes=attributes)
        if found.attributes == attributes:
            return found
        attributes = frozenset(found.attributes)


def is_marshalled(x: Any) -> bool:
    """Whether a value consists of numbers and strings alone, so that it is compared at once."""
    if type(x) is dict:
        return all(is_marshalled(part) for pair in x.items() for part in pair)
    if type(x) in (tuple, list):
        return all(map(is_marshalled, x))
    return type(x) in _MARSHALLED  # arrays are marshalled, too, as bytes


def slots_of(cls: type) -> list[str]:
    """The names of the slots of a class and its bases."""
    found = []
    for base in cls.__mro__:
        own = base.__dict__.get("__slots__", ())
        found += [own] if isinstance(own, str) else list(own)
    return [name for name in found if name not in ("__dict__", "__weakref__")]


def name_of_part(part: Any, otherwise: str) -> str:
    """The name of a function; something else for other values."""
    name = getattr(part, "__name__", None)
    return name if isinstance(name, str) else otherwise


def shown(x: Any) -> str:
    """A value in a few words."""
    if callable(x) or isinstance(x, ModuleType | CodeType):
        return f"the same {type(x).__name__}"
    text = repr(x)
    return text if len(text) <= 40 else f"{text[:37]}..."
