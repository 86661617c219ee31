"""The tangent of a container is read and built by its fields, compares by value, and can be copied
but not written to.
"""

import copy
import dataclasses
import pickle
from collections import OrderedDict, namedtuple
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest

from chainrules_py.errors import TangentTypeError
from chainrules_py.tangents import NO_TANGENT, ZERO, Tangent, Thunk, entries, with_entries

Pair = namedtuple("Pair", "x y")


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Awkward:
    keys: float
    primal_type: float
    _map: float


class Layer:
    def __init__(self, w, name):
        self.w, self.name = w, name


class Slotted:
    __slots__ = ("w",)


def test_tuples_and_lists_are_read_by_position():
    for primal_type in (tuple, list):
        t = Tangent[primal_type](1.0, ZERO, 3.0)
        first, second, third = t
        assert (first, second, third, len(t)) == (1.0, ZERO, 3.0, 3)
        assert (t[0], t[-1], t[:2]) == (1.0, 3.0, (1.0, ZERO))
        with pytest.raises(IndexError):
            t[3]


def test_mappings_are_read_by_key():
    t = Tangent[dict]({"w": 1.0, 2: 3.0})
    assert (t["w"], t[2], t["absent"]) == (1.0, 3.0, ZERO)
    assert (list(t), len(t), "w" in t, "absent" in t) == (["w", 2], 2, True, False)
    assert (list(t.keys()), list(t.values()), list(t.items())) == (
        ["w", 2],
        [1.0, 3.0],
        [("w", 1.0), (2, 3.0)],
    )


def test_records_are_read_by_name():
    t = Tangent[Point](x=1.0)
    assert (t.x, t.y) == (1.0, ZERO)
    with pytest.raises(AttributeError):
        t.z
    with pytest.raises(TypeError):
        Tangent[Point](1.0)


def test_namedtuples_are_read_by_name_and_position():
    for t in (Tangent[Pair](1.0), Tangent[Pair](x=1.0), Tangent[Pair](1.0, y=ZERO)):
        assert (t.x, t.y, t[0], t[1], tuple(t), len(t)) == (1.0, ZERO, 1.0, ZERO, (1.0, ZERO), 2)


def test_objects_whose_class_does_not_tell_its_fields():
    t = Tangent[Layer](w=1.0)
    assert (t.w, t.anything) == (1.0, ZERO)
    assert not hasattr(t, "__array_interface__")
    assert not hasattr(Tangent[Slotted](w=1.0), "other")


def test_a_field_may_have_any_name():
    t = Tangent[Awkward](keys=1.0, _map=3.0)
    assert (t.keys, t.primal_type, t._map) == (1.0, ZERO, 3.0)
    assert (2.0 * t).keys == 2.0
    assert (Awkward(1.0, 1.0, 1.0) + t) == Awkward(2.0, 1.0, 4.0)
    assert repr(t) == "Tangent[Awkward](keys=1.0, _map=3.0)"


REFUSED = {
    "unknown field": lambda: Tangent[Point](z=1.0),
    "unknown slot": lambda: Tangent[Slotted](z=1.0),
    "too many": lambda: Tangent[Pair](1.0, 2.0, 3.0),
    "twice": lambda: Tangent[Pair](1.0, x=2.0),
    "no primal type": lambda: Tangent(1.0),
    "a leaf": lambda: Tangent[float],
    "an array": lambda: Tangent[np.ndarray],
    "an instance": lambda: Tangent["tuple"],
    "asarray": lambda: np.asarray(Tangent[tuple](1.0, 2.0)),
    "array of": lambda: np.array([Tangent[Point](x=1.0), 1.0]),
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED.keys())
def test_refused(make):
    with pytest.raises(TangentTypeError) as caught:
        make()
    if make is REFUSED["unknown field"]:
        assert "z" in caught.value.got
        assert "'x', 'y'" in caught.value.instead


X = np.arange(3.0)
EQUAL = {
    "numbers": (Tangent[tuple](1.0, 2.0), Tangent[tuple](1.0, 2.0)),
    "arrays": (Tangent[tuple](X), Tangent[tuple](X.copy())),
    "missing is zero": (Tangent[Point](x=1.0), Tangent[Point](x=1.0, y=ZERO)),
    "missing key is zero": (Tangent[dict]({}), Tangent[dict]({"w": ZERO})),
    "order of names": (Tangent[Point](x=1.0, y=2.0), Tangent[Point](y=2.0, x=1.0)),
    "nested": (
        Tangent[tuple](Tangent[dict]({"w": X})),
        Tangent[tuple](Tangent[dict]({"w": X.copy()})),
    ),
    "thunk": (Tangent[tuple](Thunk(lambda: 1.0)), Tangent[tuple](1.0)),
    "thunk of zero": (Tangent[Point](x=Thunk(lambda: ZERO)), Tangent[Point]()),
    "position or name": (Tangent[Pair](1.0, 2.0), Tangent[Pair](x=1.0, y=2.0)),
}
DIFFERENT = {
    "numbers": (Tangent[tuple](1.0, 2.0), Tangent[tuple](1.0, 3.0)),
    "classes": (Tangent[tuple](1.0), Tangent[list](1.0)),
    "one entry": (Tangent[tuple](X), Tangent[tuple](X + np.array([0, 0, 1]))),
    "shapes": (Tangent[tuple](X), Tangent[tuple](X[:2])),
    "broadcast": (Tangent[tuple](np.ones(1)), Tangent[tuple](np.ones((1, 1)))),
    "lengths": (Tangent[tuple](1.0), Tangent[tuple](1.0, ZERO)),
    "zeros": (Tangent[Point](x=ZERO), Tangent[Point](x=NO_TANGENT)),
    "numeric zero": (Tangent[Point](x=0.0), Tangent[Point]()),
    "the primal": (Tangent[tuple](1.0), (1.0,)),
    "an array": (Tangent[tuple](1.0), np.ones(1)),
    "a zero": (Tangent[tuple](ZERO), ZERO),
}


COMPARED = [*((*pair, True) for pair in EQUAL.values()), *((*p, False) for p in DIFFERENT.values())]


@pytest.mark.parametrize(("a", "b", "expected"), COMPARED, ids=[*EQUAL, *DIFFERENT])
def test_equality(a, b, expected):
    assert (a == b) is (b == a) is expected
    assert (a != b) is not expected
    if expected and not any(isinstance(part, np.ndarray | Tangent) for part in entries(a).values()):
        assert hash(a) == hash(b)


def test_tangents_of_arrays_do_not_hash():
    with pytest.raises(TypeError):
        hash(Tangent[tuple](X))


REPRS = {
    "Tangent[tuple](1.0, ZERO)": Tangent[tuple](1.0, ZERO),
    "Tangent[list]()": Tangent[list](),
    "Tangent[dict]({'w': 1.0})": Tangent[dict]({"w": 1.0}),
    "Tangent[Point](x=1.0)": Tangent[Point](x=1.0),
    "Tangent[Pair](x=1.0)": Tangent[Pair](1.0),
    "Tangent[Layer](w=Tangent[tuple](NO_TANGENT))": Tangent[Layer](w=Tangent[tuple](NO_TANGENT)),
}


@pytest.mark.parametrize(("text", "t"), REPRS.items(), ids=REPRS.keys())
def test_repr_is_what_one_writes(text, t):
    assert repr(t) == text


@pytest.mark.parametrize("t", REPRS.values(), ids=REPRS.keys())
@pytest.mark.parametrize(
    "made", [copy.copy, copy.deepcopy, lambda t: with_entries(t.primal_type, entries(t))]
)
def test_copies_are_equal(made, t):
    assert made(t) == t
    assert type(made(t)) is type(t)


@pytest.mark.parametrize("primal_type", [tuple, list, dict, OrderedDict])
def test_pickling(primal_type):
    values = {"w": X} if issubclass(primal_type, dict) else {0: X, 1: ZERO}
    t = with_entries(primal_type, values)
    assert pickle.loads(pickle.dumps(t)) == t


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: float


def test_the_tangent_of_a_mutable_class_is_mutable():
    given = {"w": 1.0}
    of_dict, of_list, of_record = (
        Tangent[dict](given),
        Tangent[list](1.0, ZERO),
        Tangent[Point](x=1.0),
    )
    of_object = Tangent[SimpleNamespace](x=1.0)
    of_dict["w"] = of_dict["new"] = of_list[-1] = of_record.y = of_object.x = of_object.new = 2.0
    assert of_dict == Tangent[dict](w=2.0, new=2.0)
    assert of_list == Tangent[list](1.0, 2.0)
    assert of_record == Tangent[Point](x=1.0, y=2.0)
    assert of_object == Tangent[SimpleNamespace](x=2.0, new=2.0)
    assert given == {"w": 1.0}
    of_record.y += np.ones(2)
    assert of_record.y.tolist() == [3.0, 3.0]


def test_the_tangent_of_an_immutable_class_is_not():
    pair = namedtuple("pair", "a b")
    with pytest.raises(TypeError):
        Tangent[tuple](1.0)[0] = 2.0
    for t, name in ((Tangent[Frozen](x=1.0), "x"), (Tangent[pair](1.0, ZERO), "a")):
        with pytest.raises(TypeError):
            setattr(t, name, 2.0)
    with pytest.raises(TypeError):
        Tangent[MappingProxyType](w=1.0)["w"] = 2.0
    with pytest.raises(AttributeError):
        Tangent[Point](x=1.0).unknown = 2.0
