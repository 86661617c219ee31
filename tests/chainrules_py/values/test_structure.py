"""Containers of all kinds are taken apart into fields, and rebuilt with other values without being
written to.
"""

import dataclasses
import enum
import functools
import math
import pickle
import types
from collections import OrderedDict, defaultdict, namedtuple
from fractions import Fraction

import attrs
import numpy as np
import pytest

from chainrules_py.errors import TangentTypeError
from chainrules_py.values.structure import (
    container,
    fields,
    is_container,
    is_structural,
    kind,
    rebuild,
)
from chainrules_tape import jvp

Pair = namedtuple("Pair", "x y")


class Result(Pair):
    """As SciPy's are, which have attributes, and constructors that ask for others."""

    _replace = None


def with_attribute():
    made = Result(1.0, 2)
    made.extra = 3.0
    return made


class Sequence(tuple):
    __slots__ = ()


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    x: float
    y: float = 0.0


@dataclasses.dataclass
class Derived:
    x: float
    square: float = dataclasses.field(init=False)

    def __post_init__(self):
        self.square = self.x**2


@dataclasses.dataclass
class State:
    x: float
    count: int = dataclasses.field(init=False, default=0)


@dataclasses.dataclass
class NeedsMore:
    x: float
    scale: dataclasses.InitVar[float]

    def __post_init__(self, scale):
        self.x *= scale


@dataclasses.dataclass
class Choosy:
    x: float

    def __post_init__(self):
        if self.x < 0:
            raise ValueError("x must not be negative")


@dataclasses.dataclass(init=False)
class OwnConstructor:
    x: float

    def __init__(self, text):
        self.x = float(text)


@attrs.define
class Attrs:
    _hidden: float
    x: float = attrs.field(alias="given")
    total: float = attrs.field(init=False)

    def __attrs_post_init__(self):
        self.total = self._hidden + self.x


class Plain:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def square(self):
        return self.x**2


class Slotted:
    __slots__ = ("__private", "x")

    def __init__(self, x):
        self.x, self.__private = x, 5.0


class SlottedAndMore(Slotted):
    def __init__(self, x):
        super().__init__(x)
        self.z = 3.0


class Colour(enum.Enum):
    RED = 1


class MyArray(np.ndarray):
    pass


def with_default():
    made = defaultdict(list)
    made["w"] = 1.0
    return made


# value, kind, its fields
CONTAINERS = {
    "tuple": ((1.0, 2), "tuple", {0: 1.0, 1: 2}),
    "tuple subclass": (Sequence([1.0]), "tuple", {0: 1.0}),
    "list": ([1.0, 2], "list", {0: 1.0, 1: 2}),
    "empty": ((), "tuple", {}),
    "dict": ({"w": 1.0, 2: 3}, "mapping", {"w": 1.0, 2: 3}),
    "ordered": (OrderedDict(w=1.0), "mapping", {"w": 1.0}),
    "defaultdict": (with_default(), "mapping", {"w": 1.0}),
    "read-only mapping": (types.MappingProxyType({"w": 1.0}), "mapping", {"w": 1.0}),
    "namedtuple": (Pair(1.0, 2), "namedtuple", {"x": 1.0, "y": 2}),
    "result": (with_attribute(), "namedtuple", {"x": 1.0, "y": 2, "extra": 3.0}),
    "dataclass": (Point(1.0), "dataclass", {"x": 1.0, "y": 0.0}),
    "frozen": (Frozen(1.0), "dataclass", {"x": 1.0, "y": 0.0}),
    "derived": (Derived(2.0), "dataclass", {"x": 2.0, "square": 4.0}),
    "attrs": (Attrs(1.0, 2.0), "attrs", {"_hidden": 1.0, "x": 2.0, "total": 3.0}),
}
OBJECTS = {
    "plain": (Plain(1.0), "object", {"x": 1.0}),
    "slots": (Slotted(1.0), "object", {"_Slotted__private": 5.0, "x": 1.0}),
    "slots and more": (
        SlottedAndMore(1.0),
        "object",
        {"_Slotted__private": 5.0, "x": 1.0, "z": 3.0},
    ),
}
STRUCTURES = CONTAINERS | OBJECTS
LEAVES = [
    *(1.0, 1, True, 1j, Fraction(1), None, "s", b"s", ...),
    *(NotImplemented, slice(1), range(3), {1.0}, Colour.RED),
    *(np.ones(2), np.float32(1), np.ones(2).view(MyArray)),
    *(np.dtype(float), np.sin, np.random.default_rng(0)),
    *(len, math.sin, lambda: 1, Plain, np, pickle, "".join),
    *(Plain(1.0).__init__, ValueError("x")),
]


@pytest.mark.parametrize(("x", "expected", "content"), STRUCTURES.values(), ids=STRUCTURES.keys())
def test_kind_and_fields(x, expected, content):
    assert kind(type(x)) == expected
    assert fields(x) == content
    assert list(fields(x)) == list(content)
    assert is_structural(x)
    assert is_container(x) == (expected != "object")


@pytest.mark.parametrize("x", LEAVES)
def test_leaves_have_no_fields(x):
    assert not is_structural(x)
    assert not is_container(x)
    with pytest.raises(TangentTypeError):
        fields(x)


@pytest.mark.parametrize(("x", "expected", "content"), STRUCTURES.values(), ids=STRUCTURES.keys())
def test_rebuild_replaces_one_field_and_writes_nothing(x, expected, content):
    for key in [key for key in content if key not in ("square", "total")]:
        made = rebuild(x, {key: 7.0})
        assert type(made) is type(x)
        assert fields(made)[key] == 7.0
        assert fields(x) == content
        untouched = {k: v for k, v in content.items() if k not in (key, "square", "total")}
        assert {k: fields(made)[k] for k in untouched} == untouched


@pytest.mark.parametrize(("x", "expected", "content"), STRUCTURES.values(), ids=STRUCTURES.keys())
def test_unknown_fields_are_refused(x, expected, content):
    with pytest.raises(TangentTypeError) as info:
        rebuild(x, {"absent": 1.0})
    assert "absent" in info.value.got


class OwnPartial(functools.partial):
    """A partial of a class of its own, which has attributes."""


@pytest.mark.parametrize("cls", [functools.partial, OwnPartial])
def test_a_partial_has_fields_and_is_no_container(cls):
    x = cls(pow, 2.0, mod=None)
    x.label = "own"
    assert is_structural(x)
    assert not is_container(x)
    assert fields(x) == {"func": pow, "args": (2.0,), "keywords": {"mod": None}}
    made = rebuild(x, {"args": (3.0,)})
    assert (type(made), made.label, made(2.0)) == (cls, "own", 9.0)
    assert x(2.0) == 4.0


def test_an_explicit_value_of_a_derived_field_wins():
    made = rebuild(Derived(2.0), {"x": 3.0, "square": 10.0})
    assert (made.x, made.square) == (3.0, 10.0)
    made = rebuild(Attrs(1.0, 2.0), {"total": 10.0})
    assert (made.x, made.total) == (2.0, 10.0)


def test_state_outside_the_constructor_is_kept():
    state = State(1.0)
    state.count = 5
    assert rebuild(state, {"x": 2.0}).count == 5
    assert rebuild(state, {"count": 6}).count == 6


def test_what_was_set_after_the_constructor_is_kept():
    later = Derived(2.0)
    later.square, later.note = 7.0, ["its own"]
    made = rebuild(later, {"x": 3.0})
    assert (made.square, made.note) == (7.0, ["its own"])

    @attrs.define(slots=False)
    class Open:
        x: float

    later = Open(1.0)
    later.note = 2
    assert rebuild(later, {"x": 3.0}).note == 2
    state = State(1.0)
    state.note = np.nan
    assert np.isnan(rebuild(state, {"x": 2.0}).note)


def test_what_a_constructor_made_of_what_nobody_stored_is_no_constant():
    @dataclasses.dataclass
    class Scaled:
        x: float
        scale: dataclasses.InitVar[float] = 1.0

        def __post_init__(self, scale):
            self.scaled = scale * self.x

    assert rebuild(Scaled(2.0), {"x": 3.0}).scaled == 3.0
    with pytest.raises(TangentTypeError, match="store the InitVar in a field"):
        rebuild(Scaled(2.0, 5.0), {"x": 3.0})


def test_what_a_constructor_needs_and_nobody_stored():
    with pytest.raises(TangentTypeError) as info:
        rebuild(NeedsMore(1.0, 2.0), {"x": 3.0})
    assert info.value.operation == "rebuild"
    assert rebuild(OwnConstructor("1"), {"x": 3.0}).x == 3.0


def test_an_error_of_the_class_itself_is_left_alone():
    with pytest.raises(ValueError, match="must not be negative") as info:
        rebuild(Choosy(1.0), {"x": -1.0})
    assert not isinstance(info.value, TangentTypeError)


def test_mappings_keep_what_they_are():
    made = rebuild(with_default(), {"w": 2.0})
    assert (made.default_factory, dict(made)) == (list, {"w": 2.0})
    assert list(rebuild(OrderedDict(a=1.0, b=2.0), {"a": 3.0})) == ["a", "b"]


class WholeNumbers(tuple):
    """As PyTorch's shapes are: a tuple that refuses other entries."""

    def __new__(cls, entries):
        entries = tuple(entries)
        if not all(isinstance(entry, int) for entry in entries):
            raise TypeError("whole numbers only")
        return super().__new__(cls, entries)


def test_a_tuple_of_a_class_that_refuses_an_entry_is_rebuilt_as_a_tuple():
    assert type(rebuild(WholeNumbers([2, 3]), {0: 5})) is WholeNumbers
    assert rebuild(WholeNumbers([2, 3]), {0: "two"}) == ("two", 3)


class Polar:
    """A class that says itself what is differentiated in it."""

    def __init__(self, radius, angle, name):
        self.z, self.name = radius * np.exp(1j * angle), name

    def __chainrules_parts__(self):
        return {"z": self.z}

    def __chainrules_with_parts__(self, parts):
        other = Polar(0.0, 0.0, self.name)
        other.z = parts["z"]
        return other


def test_a_class_says_itself_what_its_parts_are():
    point = Polar(2.0, 0.0, "start")
    assert is_container(point)
    assert kind(type("Special", (Polar,), {})) == "declared"
    assert fields(point) == {"z": 2.0}
    moved = rebuild(point, {"z": 1j})
    assert (moved.z, moved.name, point.z) == (1j, "start", 2.0)
    with pytest.raises(TangentTypeError):
        rebuild(point, {"radius": 3.0})


def test_a_tangent_has_its_parts_in_the_order_of_the_value():
    """As labelled axes may stand in another order in the tangent that a caller gives."""

    class Pairs:
        def __init__(self, **numbers):
            self.numbers = numbers

    def in_order(x, x_dot):
        return {"numbers": [x_dot.numbers[name] for name in x.numbers]}

    container(
        Pairs,
        parts=lambda x: {"numbers": list(x.numbers.values())},
        with_parts=lambda x, parts: Pairs(**dict(zip(x.numbers, parts["numbers"], strict=True))),
        tangent_parts=in_order,
    )
    (_, y_dot) = jvp(
        lambda x: x.numbers["a"] ** 2 + 10 * x.numbers["b"],
        (Pairs(a=3.0, b=1.0),),
        (Pairs(b=1.0, a=2.0),),
    )
    assert y_dot == 2 * 3.0 * 2.0 + 10 * 1.0
