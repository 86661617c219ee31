"""The places that a program read while it was recorded, and the check that they hold the same.

A `Place` says where something is, what was there, and in words what is asked. After a recording the
places are asked one by one (`Places.held`, 0.3 us each); for a program that will run often the
questions are written as the source of a function (`Places.check`, 60 ns each, and 7 us to compile).
What is asked is the text of a `Kind`, for both.
Both return the arrays that the places hold now, which are inputs of the program, or the number of
the first place that holds something else; -1 where a place is gone.
"""

import marshal
import operator
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

from chainrules_programs.compiling.kinds_of_values import is_same_constant

Held = tuple[np.ndarray[Any, Any], ...] | int
Check = Callable[[], Held]
Question = tuple[
    Callable[[], Any], Any, str
]  # a function, what it returned, and that as a sentence
Step = tuple[
    str, Any
]  # "attribute" or "item", and which, "call", "class", or "items" as a class has
_GONE = (KeyError, AttributeError, IndexError, ValueError, TypeError)
SCOPE = {"ndarray": np.ndarray, "is_same_constant": is_same_constant, "dumps": marshal.dumps}


def attribute(name: str) -> Step:
    """The step from an object to its attribute."""
    return "attribute", name


def item(key) -> Step:
    """The step from a container to its item."""
    return "item", key


CALL: Step = ("call", None)  # the step from a weak reference to what it refers to
CLASS: Step = (
    "class",
    None,
)  # the step from an object to its class, whatever class it says to have


def items_as(cls: type) -> Step:
    """The step from a user's dict or list to its items, by the methods of `dict` or `list`."""
    return "items", cls


def form_of(x: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """The type, shape and memory order of an array: all that a program depends on beside entries."""
    return x.dtype, x.shape, x.flags.c_contiguous or x.strides


class Kind:
    """A question: an expression of what is at a place now, `{v}`, and of what it has to do with that,
    `{e}`; with `parts`, of so many things, `{e[0]}` and so on.
    """

    __slots__ = ("holds", "parts", "text")

    def __init__(self, text: str, parts: int = 0) -> None:
        self.text, self.parts = text, parts
        expected = [f"e[{k}]" for k in range(parts)] if parts else "e"
        source = f"lambda v, e: {text.format(v='v', e=expected)}"
        self.holds: Callable[[Any, Any], bool] = eval(source, SCOPE)

    def lines(self, what: str, expected: list[str] | str, fails: str) -> list[str]:
        """The statements that do what `fails` says where the answer is no."""
        if self.text.count("{v}") == 1:
            return [f"if not ({self.text.format(v=what, e=expected)}): {fails}"]
        return [f"v = {what}", f"if not ({self.text.format(v='v', e=expected)}): {fails}"]


IDENTICAL = Kind("{v} is {e}")
CONSTANT = Kind("{v} is {e} or is_same_constant({v}, {e})")  # or an equal one of its class
EQUAL = Kind("{v} == {e}")  # of what cannot change itself
LENGTH = Kind("len({v}) == {e}")
KEYS = Kind("tuple({v}) == {e}")  # in the same order
MARSHALLED = Kind("dumps({v}, 2) == {e}")  # numbers and strings, bit for bit
MEMBERS = Kind("dumps(tuple({v}), 2) == {e}")  # of a set, in the same order
COUNTED = Kind("type({v}) is int")
CALLED = Kind("{v}() == {e}")
FLAGS = Kind("{v}.flags.num == {e}")  # whether an array can be written to, and owns its memory
ABSENT = Kind("{e} not in {v}")
DISJOINT = Kind("{e}.isdisjoint({v})")  # a frozenset of keys, and a dict
UNSET = Kind("not hasattr({v}, {e})")  # of slots, which are no keys of a dict
_ALIKE = (
    "type({v}) is ndarray and {v}.dtype is {e[0]} and {v}.shape == {e[1]}"
    " and ({v}.flags.c_contiguous or {v}.strides) == {e[2]}"
)
ARRAY = Kind(_ALIKE, parts=3)  # whose entries are an input
ENTRIES = Kind(_ALIKE + " and {v}.tobytes() == {e[3]}", parts=4)
TWIN = Kind("{v} is {e[0]}", parts=1)  # the array of another place: one input for both


@cache
def apart(count: int) -> Kind:
    """The question whether an array is none of those at so many other places."""
    return Kind(" and ".join(f"{{v}} is not {{e[{k}]}}" for k in range(count)), parts=count)


_REACHED: dict[str, Callable[[Any, Any], Any]] = {
    "attribute": getattr,
    "item": operator.getitem,
    "call": lambda x, _: x(),
    "class": lambda x, _: type(x),
    "items": lambda x, cls: cls.copy(x),
}


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


class Place:
    """Something that is reached from `holder` by steps, the question to it, with what is expected, and
    the question in words.
    """

    __slots__ = ("expected", "holder", "kind", "sentence", "steps")

    def __init__(
        self, kind: Kind, holder, steps: tuple[Step, ...], expected, sentence: str
    ) -> None:
        self.kind, self.holder, self.steps = kind, holder, steps
        self.expected, self.sentence = expected, sentence

    def now(self) -> Any:
        """The object that is there now."""
        x = self.holder
        for kind, key in self.steps:
            x = _REACHED[kind](x, key)
        return x

    def fetch(self, names: Names) -> str:
        """The expression for what is there."""
        text = names.name(self.holder)
        for kind, key in self.steps:
            if kind == "attribute":
                text += f".{key}"
            elif kind == "call":
                text += "()"
            elif kind == "class":
                text = f"type({text})"
            elif kind == "items":
                text = f"{names.name(key)}.copy({text})"
            else:
                shown = repr(key) if type(key) in (str, int) else names.name(key)
                text += f"[{shown}]"
        return text

    def holds(self) -> bool:
        """Whether the answer is as it was."""
        return bool(self.kind.holds(self.now(), self.expected))

    def lines(self, names: Names, fails: str) -> list[str]:
        """The statements that do what `fails` says where the answer is another one."""
        parts = [names.name(part) for part in self.expected] if self.kind.parts else []
        return self.kind.lines(self.fetch(names), parts or names.name(self.expected), fails)


class BesidePlaces(Place):
    """A place that is compared with other ones, `expected`."""

    __slots__ = ()

    def holds(self) -> bool:
        """Whether the answer is as it was."""
        return bool(self.kind.holds(self.now(), [other.now() for other in self.expected]))

    def lines(self, names: Names, fails: str) -> list[str]:
        """The statements that do what `fails` says where the answer is another one."""
        others = [other.fetch(names) for other in self.expected]
        return self.kind.lines(self.fetch(names), others, fails)


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
        kind: Kind,
        holder,
        steps: tuple[Step, ...],
        expected,
        sentence: str,
    ) -> None:
        """Note a place that the program has read, and what was there."""
        self.all.append(Place(kind, holder, steps, expected, sentence))

    def array(
        self, holder, steps: tuple[Step, ...], x: np.ndarray[Any, Any], sentence: str
    ) -> None:
        """The place has to hold an array of the same type and shape; its entries are an input."""
        if id(x) in self._first:
            sentence = f"{sentence}: one array in two places"
            self.all.append(BesidePlaces(TWIN, holder, steps, (self._first[id(x)],), sentence))
            return
        self.arrays.append(x)
        self.add(ARRAY, holder, steps, form_of(x), sentence)
        self._first[id(x)] = self.all[-1]

    def entries(
        self, holder, steps: tuple[Step, ...], x: np.ndarray[Any, Any], sentence: str
    ) -> None:
        """The place has to hold an array of the same form, with the same entries."""
        self.add(ENTRIES, holder, steps, (*form_of(x), x.tobytes()), sentence)

    def keep_apart(self) -> None:
        """No two places that held two arrays may hold one: for code that asks ``a is b``.

        Arrays of which the entries are compared stay the same ones.
        """
        for place in [each for each in self.all if each.kind is ENTRIES]:
            sentence = "an array that is compared is the same one"
            self.add(IDENTICAL, place.holder, place.steps, place.now(), sentence)
        seen: list[Place] = []
        for place in list(self._first.values()):
            if seen:
                sentence = "arrays that were two have not become one"
                kind, where = apart(len(seen)), (place.holder, place.steps)
                self.all.append(BesidePlaces(kind, *where, tuple(seen), sentence))
            seen.append(place)

    def keep_flags(self) -> None:
        """Arrays keep their flags: for code that asks for these."""
        for place in list(self._first.values()):
            sentence = "the flags of an array are as they were"
            self.add(FLAGS, place.holder, place.steps, place.now().flags.num, sentence)

    def outside(self, originals: dict[int, list[Any]]) -> "Places":
        """Questions of what is there when a scope is left, given what its replacements stand for."""
        places = []
        for place in self.all:
            if id(place.expected) in originals:
                now = place.now()
                if any(now is original for original in originals[id(place.expected)]):
                    place = Place(place.kind, place.holder, place.steps, now, place.sentence)
            places.append(place)
        return self.with_places(places)

    def asking_also(self, asked: Iterable[Question]) -> "Places":
        """These places, and what functions answer, each once."""
        also = {sentence: Place(CALLED, f, (), y, sentence) for f, y, sentence in asked}
        return self.with_places([*self.all, *also.values()])

    def with_places(self, places: list[Place]) -> "Places":
        """Other places, among which are those of the same arrays."""
        found = Places()
        found.all, found.arrays, found._first = places, self.arrays, self._first
        return found

    def held(self) -> Held:
        """The arrays that the places hold now, or the number of one that holds something else."""
        arrays = []
        try:
            for number, place in enumerate(self.all):
                if not place.holds():
                    return number
                if place.kind is ARRAY:
                    arrays.append(place.now())
        except _GONE:
            return -1
        return tuple(arrays)

    def check(self) -> Check:
        """The function that asks all places, as `held` does."""
        names, body, returned = Names(), [], ""
        for number, place in enumerate(self.all):
            body += place.lines(names, f"return {number}")
            if place.kind is ARRAY:
                body.append(f"a{number} = v")
                returned += f"a{number}, "
        source = "\n        ".join(["def check():\n    try:", *body, f"return ({returned})"])
        gone = ", ".join(error.__name__ for error in _GONE)
        source += f"\n    except ({gone}):\n        return -1\n"
        exec(compile(source, "<places that a compiled program reads>", "exec"), names.known)
        check: Check = names.known["check"]
        return check
