"""Whole numbers in which a function counts, ``self.calls += 1``, and its programs count on; global
names and outer variables to which it assigns, and its programs assign the same.

A variable or an attribute to which all code that was followed only adds whole numbers decides
nothing. So what it holds is not compared before a program runs; what a recorded run has added, the
program adds, too. What a run has assigned is compared, as deep as it goes, since the program has
that object; where it has left a name as it was, that is compared.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from types import CellType, WrapperDescriptorType
from typing import Any, NamedTuple

from chainrules_programs.compiling.kinds_of_values import KIND_OF_ARRAY, container_below, kind_of
from chainrules_programs.compiling.places import Question
from chainrules_py.values.structure import slot_names

MISSING = object()  # what a global name has that nobody has assigned to


class Counter(NamedTuple):
    """A name in an object, in the dict of one or of the globals, or in a cell."""

    holder: Any
    name: str

    def now(self) -> Any:
        """What is there now; MISSING if nothing is."""
        holder, name = self
        if type(holder) is dict:
            return holder.get(name, MISSING)
        return holder.cell_contents if type(holder) is CellType else getattr(holder, name, MISSING)

    def put(self, value) -> None:
        """Put something there; MISSING takes away what is."""
        holder, name = self
        if value is MISSING and type(holder) is dict:
            holder.pop(name, None)
        elif value is MISSING:
            if hasattr(holder, name):
                object.__delattr__(holder, name)
        elif type(holder) is dict:
            holder[name] = value
        elif type(holder) is CellType:
            holder.cell_contents = value
        elif isinstance(holder, type):
            setattr(holder, name, value)
        else:
            object.__setattr__(holder, name, value)

    def of(self, holders: Iterable[Any]) -> "list[Counter]":
        """This name in each of some other objects."""
        return [Counter(holder, self.name) for holder in holders]


class Counted(NamedTuple):
    """What a run adds to a number."""

    counter: Counter
    added: int

    def add(self) -> None:
        """Add it."""
        self.counter.put(self.counter.now() + self.added)


@dataclass(frozen=True)
class Assigned:
    """What a run assigns to a name: an object, and what that holds."""

    counter: Counter
    state: Any
    value: Any = field(compare=False)

    def add(self) -> None:
        """Assign it."""
        self.counter.put(self.value)


class NotAssignedError(Exception):
    """A run has assigned an object to a name, `args`, of which a program cannot tell what it holds."""


class Counts:
    """The numbers that a function may count in, and what it may assign to, as they are before a run."""

    def __init__(self, counters: Iterable[Counter], assigned: Iterable[Counter] = ()) -> None:
        self.before = [(counter, counter.now()) for counter in counters]
        self.names = [(name, name.now()) for name in assigned]

    def put_back(self) -> None:
        """Write the numbers, and give the names what they had, from before."""
        for counter, value in (*self.before, *self.names):
            counter.put(value)

    def assigned(
        self, copies_of: Callable[[Any], list[Any]], copies: frozenset[int]
    ) -> tuple[tuple[Assigned, ...], list[Question]]:
        """List what a run has assigned to names, or to those in copies, and what a program has to ask
        before it does as well: questions, their answers, and these as sentences.
        """
        found: list[Assigned] = []
        asked: list[Question] = []
        for name, before in self.names:
            values = [each.now() for each in (name, *name.of(copies_of(name.holder)))]
            now = next((value for value in values if value is not before), before)
            if now is before:
                sentence = f"{name.name} is as it was"
                asked.append((partial(state_of_name, name), state_of_name(name), sentence))
                continue
            state = state_within(now, name.name, copies=copies)
            found.append(Assigned(name, state, now))
            if kind_of(now) != "constant":
                sentence = f"the object that it assigns to {name.name} holds what it held"
                asked.append((partial(state_within, now, name.name), state, sentence))
        return tuple(found), asked

    def added(self, copies_of: Callable[[Any], list[Any]]) -> tuple[Counted, ...]:
        """List what a run has added to the numbers, or to those in copies, which it puts back."""
        found = []
        for counter, value in self.before:
            added = counter.now() - value
            for copy in counter.of(copies_of(counter.holder)):
                added += copy.now() - value
                copy.put(value)
            if added:
                found.append(Counted(counter, added))
        self.put_back()
        return tuple(found)


def state_of_name(name: Counter) -> Any:
    """What a name has now: an object, if it is no constant."""
    value = name.now()
    return state_within(value, name.name) if kind_of(value) == "constant" else ByIdentity(value)


class ByIdentity:
    """An object that equals itself alone."""

    def __init__(self, x) -> None:
        self.x = x

    def __eq__(self, other) -> bool:
        return type(other) is ByIdentity and self.x is other.x

    __hash__: Any = None


def state_within(
    x, name: str, above: tuple[Any, ...] = (), copies: frozenset[int] = frozenset()
) -> Any:
    """What an object holds, to be compared: constants, arrays, containers and objects of classes in
    Python, as deep as they go. Raises for copies, by their identities, that a recorded run has.

    >>> state_within([1, 2.0], "x") == state_within([1, 2.0], "x") != state_within([1, 2], "x")
    True
    """
    if any(x is each for each in above):
        return "above"
    if id(x) in copies:
        raise NotAssignedError(name)
    cls: Any = type(x)
    kind, inside = kind_of(x), (*above, x)
    if kind == "constant":
        return cls, repr(x) if isinstance(x, int | float | complex | str | tuple) else ByIdentity(x)
    if kind in ("function", "library", "class", "module"):
        return ByIdentity(x)
    if KIND_OF_ARRAY.get(getattr(getattr(x, "dtype", None), "kind", "")) == kind:
        return cls, x.dtype, x.shape, x.tobytes()
    parts: list[tuple[Any, Any]]
    if kind == "method":
        parts = [("__func__", x.__func__), ("__self__", x.__self__)]
    elif kind == "items" and isinstance(x, dict):
        parts = list(x.items())
    elif kind == "items":
        parts = list(enumerate(x))
    elif kind == "instance" or container_below(cls):
        names = [each for each in slot_names(cls) if hasattr(x, each)]
        parts = [*getattr(x, "__dict__", {}).items(), *((each, getattr(x, each)) for each in names)]
        base: Any = container_below(cls)
        parts += [] if base is None else [("items", base.copy(x))]
    else:
        raise NotAssignedError(name)
    return cls, [(key, state_within(part, name, inside, copies)) for key, part in parts]


def can_be_counted(x, name: str) -> bool:
    """Whether what an object may have under a name is a whole number, which it gives and takes as any
    object does; so is one that it has not, as long as it has none.
    """
    cls = type(x)
    state = getattr(x, "__dict__", {})
    if any(type(each.get(name, 0)) is not int for each in (state, *map(vars, cls.__mro__))):
        return False
    methods = cls.__setattr__, cls.__getattribute__
    return name not in state or all(type(each) is WrapperDescriptorType for each in methods)
