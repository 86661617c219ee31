"""Values become vectors of real coordinates and come back from them, with the structure and the
dtypes that they had.
"""

from collections import namedtuple
from dataclasses import dataclass

import attrs
import numpy as np
import pytest

from chainrules_py import (
    Thunk,
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


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_coordinates_and_back_is_the_identity(value):
    layout = Layout(value)
    found = layout.restore(layout.vector(value))
    assert repr(found) == repr(value)
    if type(value) is np.ndarray:  # on its order depends which entries a program finds in a row
        assert np.isfortran(found) == np.isfortran(value)


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


def test_the_entry_of_a_container_used_as_tangent():
    assert tangent_at((1.0, {"a": Thunk(lambda: 2.0)}), (1, "a")) == 2.0
