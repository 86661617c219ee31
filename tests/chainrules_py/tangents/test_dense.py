"""`zero_of` and `materialize` turn special tangents into dense ones with the structure, shapes and
dtypes of the value.
"""

import dataclasses
from collections import namedtuple
from fractions import Fraction

import numpy as np
import pytest

from chainrules_py.tangents import (
    NO_TANGENT,
    ZERO,
    Tangent,
    Thunk,
    entries,
    is_zero,
    materialize,
    not_implemented,
    zero_tangent,
)

Pair = namedtuple("Pair", "x y")


@dataclasses.dataclass
class Model:
    w: np.ndarray
    name: str = "model"


class Layer:
    def __init__(self):
        self.w, self.size, self.activation = np.ones(2), 2, np.tanh


@pytest.mark.parametrize("code", [*np.typecodes["AllFloat"]])
@pytest.mark.parametrize("shape", [(), (3,), (0,), (2, 3)])
def test_zero_of_an_array_has_its_shape_and_dtype(code, shape):
    zero = zero_tangent(np.ones(shape, code))
    assert isinstance(zero, np.ndarray)
    assert (zero.shape, zero.dtype, zero.any()) == (shape, np.dtype(code), False)


@pytest.mark.parametrize(
    "x",
    [1.5, 1j, np.float16(1), np.float32(1), np.longdouble(1), np.complex64(1), Fraction(1, 2)],
    ids=repr,
)
def test_zero_of_a_number_has_its_type(x):
    assert type(zero_tangent(x)) is type(x)
    assert zero_tangent(x) == 0


@pytest.mark.parametrize(
    "x", [3, None, "s", np.int8(1), np.arange(3), np.array([None]), np.sin, np]
)
def test_no_tangent_space(x):
    assert zero_tangent(x) is NO_TANGENT
    assert materialize(ZERO, like=x) is NO_TANGENT
    assert materialize(NO_TANGENT, like=x) is NO_TANGENT


STRUCTURES = {
    "tuple": ((1.0, 2), Tangent[tuple](0.0, NO_TANGENT)),
    "list": ([np.ones(2)], Tangent[list](np.zeros(2))),
    "dict": ({"w": 1.0, "s": "x"}, Tangent[dict]({"w": 0.0, "s": NO_TANGENT})),
    "namedtuple": (Pair(1.0, 1j), Tangent[Pair](0.0, 0j)),
    "dataclass": (Model(np.ones(2)), Tangent[Model](w=np.zeros(2), name=NO_TANGENT)),
    "object": (Layer(), Tangent[Layer](w=np.zeros(2), size=NO_TANGENT, activation=NO_TANGENT)),
    "nested": ([{"m": (1.0,)}], Tangent[list](Tangent[dict]({"m": Tangent[tuple](0.0)}))),
    "empty": ((), Tangent[tuple]()),
}


@pytest.mark.parametrize(("x", "zero"), STRUCTURES.values(), ids=STRUCTURES.keys())
def test_structures_field_by_field(x, zero):
    assert zero_tangent(x) == zero
    assert materialize(ZERO, like=x) == zero
    assert materialize(NO_TANGENT, like=x) == zero
    assert materialize(Thunk(lambda: ZERO), like=x) == zero


def test_zero_of_special_tangents():
    assert zero_tangent(ZERO) is ZERO
    assert zero_tangent(NO_TANGENT) is NO_TANGENT
    assert zero_tangent(not_implemented("reason")) is ZERO
    assert zero_tangent(Thunk(lambda: 2.0)) == 0.0


def test_materialize_fills_missing_fields_at_every_depth():
    like = {"w": np.ones(2), "layers": [(1.0, 3), (2.0, 4)]}
    t = Tangent[dict]({"layers": Tangent[list](Tangent[tuple](Thunk(lambda: 5.0), ZERO), ZERO)})
    dense = materialize(t, like=like)
    first, second = dense["layers"]
    assert dense["w"].tolist() == [0.0, 0.0]
    assert entries(first) == {0: 5.0, 1: NO_TANGENT}
    assert entries(second) == {0: 0.0, 1: NO_TANGENT}


IS_ZERO = {
    True: [
        ZERO,
        NO_TANGENT,
        Tangent[tuple](),
        Tangent[tuple](ZERO, NO_TANGENT),
        Tangent[list](Tangent[dict]({"w": ZERO})),
    ],
    False: [
        0.0,
        np.zeros(2),
        Tangent[tuple](0.0, ZERO),
        not_implemented("reason"),
        Thunk(lambda: pytest.fail("forced")),
        None,
    ],
}


@pytest.mark.parametrize(
    ("t", "expected"), [(t, expected) for expected, ts in IS_ZERO.items() for t in ts]
)
def test_is_zero_looks_at_types_only(t, expected):
    assert is_zero(t) is expected
