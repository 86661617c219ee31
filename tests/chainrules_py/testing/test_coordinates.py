"""Values become vectors of real coordinates and come back from them, with the structure and the
dtypes that they had.
"""

from collections import namedtuple
from dataclasses import dataclass

import attrs
import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    NotImplementedTangentError,
    Tangent,
    Thunk,
    not_implemented,
)
from chainrules_py.testing import Layout
from chainrules_py.testing.coordinates import tangent_at

Point = namedtuple("Point", "x y")


@dataclass(frozen=True)
class Model:
    w: object
    name: str = "m"


@attrs.define
class Line:
    slope: object


VALUES = [
    1.5,
    2 - 3j,
    np.float32(0.1),
    np.complex64(1 + 2j),
    np.float64(3.0),
    np.arange(6.0).reshape(2, 3),
    np.array(2.5),
    np.zeros((0, 3)),
    np.arange(4.0)[::-2],
    np.ones(2, np.complex64),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.array([1.0], np.longdouble),
    (1.0, 2),
    [1.0, np.ones(2)],
    {"a": 1.0, "b": (2.0, [3j])},
    Point(1.0, 2),
    Model(np.ones(2)),
    Line(1.0),
    (),
    (1, "s", None),
]


def leaves(value):
    if isinstance(value, dict):
        return [leaf for entry in value.values() for leaf in leaves(entry)]
    if isinstance(value, tuple | list):
        return [leaf for entry in value for leaf in leaves(entry)]
    if isinstance(value, Model | Line):
        return leaves([value.w] if isinstance(value, Model) else [value.slope])
    return [value]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_coordinates_and_back_is_the_identity(value):
    layout = Layout(value)
    again = layout.restore(layout.vector(value))
    assert type(again) is type(value)
    for one, other in zip(leaves(value), leaves(again), strict=True):
        assert type(one) is type(other)
        assert getattr(one, "dtype", None) == getattr(other, "dtype", None)
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (1.5, 1),
        (1j, 2),
        (np.ones((2, 3)), 6),
        (np.ones(2, complex), 4),
        (3, 0),
        (True, 0),
        ("text", 0),
        (None, 0),
        (np.arange(3), 0),
        ((1.0, 2, [3j]), 3),
        (np.sin, 0),
    ],
)
def test_only_floating_and_complex_numbers_have_coordinates(value, size):
    assert Layout(value).size == size


def test_the_dot_product_of_coordinates_is_the_real_inner_product():
    a, b = np.array([1 + 2j, 3 - 1j]), np.array([2 - 1j, 1j])
    vector = Layout(a).vector
    assert vector(a) @ vector(b) == np.real(np.vdot(a, b))


@pytest.mark.parametrize(
    ("dtype", "wide"), [("float32", "float64"), ("complex64", "complex128"), ("float16", "float64")]
)
def test_widening_computes_in_double_precision(dtype, wide):
    layout = Layout(np.ones(2, dtype))
    assert layout.restore(np.zeros(layout.size), widen=True).dtype == wide


def test_constants_come_back_as_the_same_objects():
    table = np.arange(3)
    value = (table, 1.0, "s")
    assert Layout(value).restore(np.array([2.0]))[0] is table


@pytest.mark.parametrize(
    "tangent",
    [ZERO, NO_TANGENT, Tangent[tuple](ZERO, ZERO), Tangent[tuple](Thunk(lambda: ZERO), NO_TANGENT)],
)
def test_zeros_of_every_kind_are_zero_coordinates(tangent):
    assert Layout((1.0, np.ones(2))).tangent_vector(tangent).tolist() == [0.0, 0.0, 0.0]


def test_tangents_have_the_structure_and_dtypes_of_their_primal():
    layout = Layout({"w": np.ones(2, np.float32), "n": 3, "p": Point(1.0, 2j)})
    tangent = layout.tangent(np.arange(layout.size, dtype=float))
    assert isinstance(tangent, Tangent[dict])
    assert tangent["w"].dtype == np.float32
    assert tangent["n"] is NO_TANGENT
    assert (tangent["p"].x, tangent["p"].y) == (2.0, 3 + 4j)
    assert layout.tangent_vector(tangent).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_a_missing_derivative_raises_with_its_reason():
    with pytest.raises(NotImplementedTangentError) as caught:
        Layout(1.0).tangent_vector(not_implemented("the order"))
    assert caught.value.reason == "the order"


@pytest.mark.parametrize(
    ("primal", "tangent"), [(np.ones(2), np.ones(3)), (np.ones(2), np.ones(2, complex)), (1.0, 1j)]
)
def test_what_is_not_a_tangent_is_refused(primal, tangent):
    with pytest.raises(ValueError, match="belongs"):
        Layout(primal).tangent_vector(tangent)


def test_labels_read_like_indexing():
    assert Layout((np.ones((1, 2)), {"z": 1j})).labels() == [
        "[0][0, 0]",
        "[0][0, 1]",
        "[1]['z'].real",
        "[1]['z'].imag",
    ]


def test_the_entry_of_a_container_used_as_tangent():
    assert tangent_at((1.0, {"a": Thunk(lambda: 2.0)}), (1, "a")) == 2.0
