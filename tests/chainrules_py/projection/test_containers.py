"""Cotangents of containers are brought into the tangent space field by field, and those of another
structure are refused.
"""

from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from typing import Any

import attrs
import numpy as np
import pytest

from chainrules_py.errors import ProjectionError, SeedError
from chainrules_py.projection import ProjectTo
from chainrules_py.projection.project_to import admitting_space
from chainrules_py.tangents import NO_TANGENT, ZERO, Tangent

Pair = namedtuple("Pair", "a b")


@dataclass(frozen=True, slots=True)
class Data:
    a: Any
    b: Any


@attrs.define
class Attrs:
    a: Any
    b: Any


class Plain:
    def __init__(self, a, b):
        self.a, self.b = a, b


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


class MyDict(dict):
    pass


# class -> (a value with these two fields, its tangent with these two)
SEQUENCES = {cls: (lambda a, b, cls=cls: cls((a, b)), Tangent[cls]) for cls in (tuple, list)}
MAPPINGS = {
    cls: (lambda a, b, cls=cls: cls(a=a, b=b), lambda a, b, cls=cls: Tangent[cls]({"a": a, "b": b}))
    for cls in (dict, OrderedDict, MyDict)
}
RECORDS = {
    cls: (cls, lambda a, b, cls=cls: Tangent[cls](a=a, b=b))
    for cls in (Pair, Data, Attrs, Plain, Slotted)
}
KINDS = SEQUENCES | MAPPINGS | RECORDS

real, single = np.ones(3), np.ones((), "float32")


@pytest.mark.parametrize("cls", KINDS)
def test_field_by_field_from_a_tangent(cls):
    make, tangent = KINDS[cls]
    result = ProjectTo(make(real, single))(tangent(real + 1j, np.ones((1, 1))))
    assert result == tangent(real, single)


@pytest.mark.parametrize("cls", KINDS)
def test_what_is_in_the_space_is_returned_itself(cls):
    make, tangent = KINDS[cls]
    for t in (tangent(real, ZERO), tangent(ZERO, NO_TANGENT)):
        assert ProjectTo(make(real, 1))(t).b is NO_TANGENT if cls in RECORDS else True
    t = tangent(real, NO_TANGENT)
    assert ProjectTo(make(real, 1))(t) is t


@pytest.mark.parametrize("cls", KINDS)
def test_without_tangents_in_any_field_there_is_none(cls):
    make, tangent = KINDS[cls]
    assert ProjectTo(make(1, "a"))(tangent(1.0, 2.0)) is NO_TANGENT


@pytest.mark.parametrize("cls", KINDS)
def test_a_wrong_class_is_refused(cls):
    make, _ = KINDS[cls]
    project = ProjectTo(make(real, 1.0))
    others = [other(real, 1.0) for kind, pair in KINDS.items() if kind is not cls for other in pair]
    for t in [*others, real, 1.0, None, "ab"]:
        with pytest.raises(ProjectionError) as caught:
            project(t)
        assert caught.value.value is t
        assert caught.value.space.primal_type is cls


@pytest.mark.parametrize("f", [np.linalg.eigh, np.linalg.qr, np.linalg.slogdet, np.linalg.svd])
def test_a_plain_tuple_is_a_cotangent_of_a_namedtuple(f):
    y = f(np.eye(2))
    space, parts = admitting_space(y), list(y)[1:]
    admitted = space.admit((ZERO, *parts), "here")
    assert (type(admitted).primal_type, list(admitted)[1:]) == (type(y), parts)
    with pytest.raises(SeedError, match=f"one for each of the {len(y)} parts"):
        space.admit((ZERO, *y), "here")
