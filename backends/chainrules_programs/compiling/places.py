"""The places that a program read while it was recorded, and the check that they hold the same.

A `Place` says where something is, what was there, and in words what is asked. After a recording the
places are asked one by one (`Places.held`, 0.3 us each); for a program that will run often the
questions are written as the source of a function (`Places.check`, 60 ns each, and 7 us to compile).
Both return the arrays that the places hold now, which are inputs of the program, or the number of
the first place that holds something else; -1 where a place is gone.
"""

import marshal
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from chainrules_programs.compiling.kinds_of_values import is_same_constant

Held = tuple[np.ndarray[Any, Any], ...] | int
Check = Callable[[], Held]
Step = tuple[str, Any]  # "attribute" or "item", and which
_GONE = (KeyError, AttributeError, IndexError, ValueError, TypeError)
SCOPE = {"ndarray": np.ndarray, "is_same_constant": is_same_constant, "dumps": marshal.dumps}


def attribute(name: str) -> Step:
    """The step from an object to its attribute."""
    return "attribute", name


def item(key) -> Step:
    """The step from a container to its item."""
    return "item", key


def form_of(x: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """The type, shape and memory order of an array: all that a program depends on beside entries."""
    return x.dtype, x.shape, x.flags.c_contiguous or x.strides


class Place:
    """Something that is reached from `holder` by steps, what it was, and the question in words."""

    __slots__ = ("expected", "holder", "sentence", "steps")

    def __init__(self, holder, steps: tuple[Step, ...], expected, sentence: str) -> None:
        self.holder, self.steps = holder, steps
        self.expected, self.sentence = expected, sentence

    def now(self) -> Any:
        """The object that is there now."""
        x = self.holder
        for kind, key in self.steps:
            x = getattr(x, key) if kind == "attribute" else x[key]
        return x

    def fetch(self, names: "Names") -> str:
        """The expression for what is there."""
        text = names.name(self.holder)
        for kind, key in self.steps:
            if kind == "attribute":
                text += f".{key}"
            else:
                shown = repr(key) if type(key) in (str, int) else names.name(key)
                text += f"[{shown}]"
        return text

    def holds(self) -> bool:
        """Whether the answer is as it was."""
        raise NotImplementedError

    def lines(self, names: "Names", fails: str) -> list[str]:
        """The statements that do what `fails` says where the answer is another one."""
        raise NotImplementedError


class Identical(Place):
    """A place that has to hold the very object it held."""

    __slots__ = ()

    def holds(self) -> bool:
        """Whether the object is the same."""
        return self.now() is self.expected

    def lines(self, names: "Names", fails: str) -> list[str]:
        """Write the comparison with what was read while the program was recorded."""
        return [f"if {self.fetch(names)} is not {names.name(self.expected)}: {fails}"]


class Constant(Place):
    """A place that has to hold the object it held, or an equal one of its class."""

    __slots__ = ()

    def holds(self) -> bool:
        """Whether the objects are equal."""
        now = self.now()
        return now is self.expected or is_same_constant(now, self.expected)

    def lines(self, names: "Names", fails: str) -> list[str]:
        """A comparison of equal objects only where they are not the same."""
        name = names.name(self.expected)
        other = f"v is not {name} and not is_same_constant(v, {name})"
        return [f"v = {self.fetch(names)}", f"if {other}: {fails}"]


class Question(Place):
    """An expression of what is there, `asked`, gives a value that is equal to the expected one."""

    __slots__ = ()
    asked: ClassVar[str] = "{}"

    def answer(self, x) -> Any:
        """The value of the expression."""
        return x

    def holds(self) -> bool:
        """Whether the value is the expected one."""
        return bool(self.answer(self.now()) == self.expected)

    def lines(self, names: "Names", fails: str) -> list[str]:
        """Write the comparison with what was read while the program was recorded."""
        asked = self.asked.format(self.fetch(names))
        return [f"if {asked} != {names.name(self.expected)}: {fails}"]


class Equal(Question):
    """A place whose value, which cannot change itself, is still equal to the recorded one."""

    __slots__ = ()


class Length(Question):
    """A container has as many items."""

    __slots__ = ()
    asked = "len({})"

    def answer(self, x) -> Any:
        """The number of items."""
        return len(x)


class Keys(Question):
    """A dict has the same keys, in the same order."""

    __slots__ = ()
    asked = "tuple({})"

    def answer(self, x) -> Any:
        """The keys of the dict, in their order."""
        return tuple(x)


class Marshalled(Question):
    """A container of numbers and strings has the same ones, bit for bit."""

    __slots__ = ()
    asked = "dumps({}, 2)"

    def answer(self, x) -> Any:
        """The bytes by which `marshal` writes the container."""
        return marshal.dumps(x, 2)


class Called(Question):
    """A function of no arguments returns the same."""

    __slots__ = ()
    asked = "{}()"

    def answer(self, x) -> Any:
        """The value that it returns."""
        return x()


class Flags(Question):
    """An array can be written to as before, and owns its memory as before."""

    __slots__ = ()
    asked = "{}.flags.num"

    def answer(self, x) -> Any:
        """The flags as a number."""
        return x.flags.num


class Absent(Place):
    """A dict has no such key."""

    __slots__ = ()

    def holds(self) -> bool:
        """Whether it is not there."""
        return self.expected not in self.now()

    def lines(self, names: "Names", fails: str) -> list[str]:
        """Write the comparison with what was read while the program was recorded."""
        return [f"if {self.expected!r} in {self.fetch(names)}: {fails}"]


class Disjoint(Place):
    """A dict has none of some keys, a frozenset."""

    __slots__ = ()

    def holds(self) -> bool:
        """Whether none is there."""
        return bool(self.expected.isdisjoint(self.now()))

    def lines(self, names: "Names", fails: str) -> list[str]:
        """Write the question whether a name is still missing."""
        asked = f"{names.name(self.expected)}.isdisjoint({self.fetch(names)})"
        return [f"if not {asked}: {fails}"]


class Unset(Place):
    """An object has no attribute of a name, which is no key of a dict: a slot."""

    __slots__ = ()

    def holds(self) -> bool:
        """Whether it is not there."""
        return not hasattr(self.now(), self.expected)

    def lines(self, names: "Names", fails: str) -> list[str]:
        """Write the question whether a name is still missing."""
        return [f"if hasattr({self.fetch(names)}, {self.expected!r}): {fails}"]


class Entries(Place):
    """An array of the same type, shape and order is there, with the same entries, bit for bit."""

    __slots__ = ()

    def holds(self) -> bool:
        """Whether form and entries are the same."""
        now = self.now()
        return type(now) is np.ndarray and (form_of(now), now.tobytes()) == self.expected

    def lines(self, names: "Names", fails: str) -> list[str]:
        """A comparison of bytes, after that of the form."""
        (dtype, shape, order), entries = self.expected
        alike = (
            f"type(v) is ndarray and v.dtype is {names.name(dtype)} and v.shape == {shape}"
            f" and (v.flags.c_contiguous or v.strides) == {order}"
            f" and v.tobytes() == {names.name(entries)}"
        )
        return [f"v = {self.fetch(names)}", f"if not ({alike}): {fails}"]


class Names:
    """Names for objects in the source of a check, which holds on to them."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = dict(SCOPE)
        self._names: dict[int, str] = {}

    def name(self, x) -> str:
        """The name of an object."""
        if id(x) not in self._names:
            self._names[id(x)] = f"c{len(self.known)}"
            self.known[self._names[id(x)]] = x
        return self._names[id(x)]


class Array(Place):
    """An array of the same type, shape and order is there: its entries are an input."""

    __slots__ = ()

    def holds(self) -> bool:
        """Whether it is alike."""
        now = self.now()
        return type(now) is np.ndarray and form_of(now) == self.expected

    def lines(self, names: "Names", fails: str) -> list[str]:
        """A comparison of what the arrays have in common."""
        dtype, shape, order = self.expected
        other = (
            f"type(v) is not ndarray or v.dtype is not {names.name(dtype)} or v.shape != {shape}"
            f" or (v.flags.c_contiguous or v.strides) != {order}"
        )
        return [f"v = {self.fetch(names)}", f"if {other}: {fails}"]


class Twin(Place):
    """A place that has to hold the array of another place, `expected`: one input for both."""

    __slots__ = ()

    def holds(self) -> bool:
        """Whether they hold one array."""
        return self.now() is self.expected.now()

    def lines(self, names: "Names", fails: str) -> list[str]:
        """Write the comparison with what was read while the program was recorded."""
        return [f"if {self.fetch(names)} is not {self.expected.fetch(names)}: {fails}"]


class Apart(Place):
    """A place that must not hold the array of any of the places `expected`."""

    __slots__ = ()

    def holds(self) -> bool:
        """Whether it holds an array of its own."""
        now = self.now()
        return all(now is not other.now() for other in self.expected)

    def lines(self, names: "Names", fails: str) -> list[str]:
        """A comparison with each of the others."""
        others = (other.fetch(names) for other in self.expected)
        asked = " or ".join(f"v is {other}" for other in others)
        return [f"v = {self.fetch(names)}", f"if {asked}: {fails}"]


class Places:
    """All places that are read, in order; `arrays` are those whose entries are inputs."""

    def __init__(self) -> None:
        self.all: list[Place] = []
        self.arrays: list[np.ndarray[Any, Any]] = []
        self._first: dict[int, Place] = {}  # that of each of the arrays, by its identity

    @property
    def sentences(self) -> list[str]:
        """The question to each place, in words."""
        return [place.sentence for place in self.all]

    def add(
        self,
        kind: type[Place],
        holder,
        steps: tuple[Step, ...],
        expected,
        sentence: str,
    ) -> None:
        """Note a place that the program has read, and what was there."""
        self.all.append(kind(holder, steps, expected, sentence))

    def array(
        self, holder, steps: tuple[Step, ...], x: np.ndarray[Any, Any], sentence: str
    ) -> None:
        """The place has to hold an array of the same type and shape; its entries are an input."""
        if id(x) in self._first:
            self.add(
                Twin, holder, steps, self._first[id(x)], f"{sentence}: one array in two places"
            )
            return
        self.arrays.append(x)
        self.add(Array, holder, steps, form_of(x), sentence)
        self._first[id(x)] = self.all[-1]

    def entries(
        self, holder, steps: tuple[Step, ...], x: np.ndarray[Any, Any], sentence: str
    ) -> None:
        """The place has to hold an array of the same form, with the same entries."""
        self.add(Entries, holder, steps, (form_of(x), x.tobytes()), sentence)

    def keep_apart(self) -> None:
        """No two places that held two arrays may hold one: for code that asks ``a is b``."""
        seen: list[Place] = []
        for place in list(self._first.values()):
            if seen:
                sentence = "arrays that were two have not become one"
                self.add(Apart, place.holder, place.steps, tuple(seen), sentence)
            seen.append(place)

    def keep_flags(self) -> None:
        """Arrays keep their flags: for code that asks for these."""
        for place in list(self._first.values()):
            sentence = "the flags of an array are as they were"
            self.add(Flags, place.holder, place.steps, place.now().flags.num, sentence)

    def held(self) -> Held:
        """The arrays that the places hold now, or the number of one that holds something else."""
        arrays = []
        try:
            for number, place in enumerate(self.all):
                if not place.holds():
                    return number
                if type(place) is Array:
                    arrays.append(place.now())
        except _GONE:
            return -1
        return tuple(arrays)

    def check(self) -> Check:
        """The function that asks all places, as `held` does."""
        names, body, returned = Names(), [], ""
        for number, place in enumerate(self.all):
            body += place.lines(names, f"return {number}")
            if type(place) is Array:
                body.append(f"a{number} = v")
                returned += f"a{number}, "
        source = "\n        ".join(["def check():\n    try:", *body, f"return ({returned})"])
        gone = ", ".join(error.__name__ for error in _GONE)
        source += f"\n    except ({gone}):\n        return -1\n"
        exec(compile(source, "<places that a compiled program reads>", "exec"), names.known)
        check: Check = names.known["check"]
        return check
