"""The algebra as a table: every pair of tangent types under every operation, against every kind of
natural value.
"""

import operator
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from chainrules_py.errors import NotImplementedTangentError, TangentTypeError
from chainrules_py.tangents import NO_TANGENT, ZERO, NotImplementedTangent, Tangent, Thunk, unthunk
from chainrules_py.tangents.arithmetic import ORDER, rank

MISSING = NotImplementedTangent("reason", "file.py:1")


def structural(x):
    return Tangent[tuple](x, ZERO)


# One of each type, in the order of precedence: a derivative nobody wrote, no tangent, zero, thunk,
# structural, natural.
OPERANDS = {
    "missing": lambda: MISSING,
    "none": lambda: NO_TANGENT,
    "zero": lambda: ZERO,
    "thunk": lambda: Thunk(lambda: 3.0),
    "struct": lambda: structural(1.0),
    "natural": lambda: 2.0,
}
M, N, Z, S = MISSING, NO_TANGENT, ZERO, structural
USED, TYPE = NotImplementedTangentError, TangentTypeError

#                         missing none  zero  thunk   struct    natural    <- b;  a below
TABLES = {
    "add": {
        "missing":       (M,     M,    M,    M,      M,        M),
        "none":          (M,     N,    N,    3.0,    S(1.0),   2.0),
        "zero":          (M,     N,    Z,    3.0,    S(1.0),   2.0),
        "thunk":         (M,     3.0,  3.0,  6.0,    TYPE,     5.0),
        "struct":        (M,     S(1.0), S(1.0), TYPE, S(2.0), TYPE),
        "natural":       (M,     2.0,  2.0,  5.0,    TYPE,     4.0),
    },
    "sub": {
        "missing":       (M,     M,    M,    M,      M,        M),
        "none":          (M,     N,    N,    -3.0,   S(-1.0),  -2.0),
        "zero":          (M,     N,    Z,    -3.0,   S(-1.0),  -2.0),
        "thunk":         (M,     3.0,  3.0,  0.0,    TYPE,     1.0),
        "struct":        (M,     S(1.0), S(1.0), TYPE, S(0.0), TYPE),
        "natural":       (M,     2.0,  2.0,  -1.0,   TYPE,     0.0),
    },
    "mul": {
        "missing":       (M,     N,    Z,    M,      M,        M),
        "none":          (N,     N,    N,    N,      N,        N),
        "zero":          (Z,     N,    Z,    Z,      Z,        Z),
        "thunk":         (M,     N,    Z,    9.0,    S(3.0),   6.0),
        "struct":        (M,     N,    Z,    S(3.0), TYPE,     S(2.0)),
        "natural":       (M,     N,    Z,    6.0,    S(2.0),   4.0),
    },
    "truediv": {
        "missing":       (USED,  USED, USED, M,      USED,     M),
        "none":          (USED,  TYPE, TYPE, N,      TYPE,     N),
        "zero":          (USED,  TYPE, TYPE, Z,      TYPE,     Z),
        "thunk":         (USED,  TYPE, TYPE, 1.0,    TYPE,     1.5),
        "struct":        (USED,  TYPE, TYPE, S(1/3), TYPE,     S(0.5)),
        "natural":       (USED,  TYPE, TYPE, 2/3,    TYPE,     1.0),
    },
}  # fmt: skip
UFUNCS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide}
FORMS = {
    "operator": lambda name: getattr(operator, name),
    "in place": lambda name: getattr(operator, f"i{name}"),
    "ufunc": lambda name: UFUNCS[name],
    "numpy scalar": lambda name: lambda a, b: getattr(operator, name)(*map(as_scalar, (a, b))),
    "0-d array": lambda name: lambda a, b: getattr(operator, name)(*map(as_array, (a, b))),
}
PAIRS = [
    (name, a, b, expected)
    for name, table in TABLES.items()
    for a, row in table.items()
    for b, expected in zip(OPERANDS, row, strict=True)
]


def as_scalar(x):
    return np.float64(x) if isinstance(x, float) else x


def as_array(x):
    return np.array(x) if isinstance(x, float) else x


@pytest.mark.parametrize(
    ("name", "a", "b", "expected"), PAIRS, ids=[f"{a} {name} {b}" for name, a, b, _ in PAIRS]
)
def test_every_pair_under_every_operation(name, a, b, expected):
    for form in FORMS.values():
        check_pair(form(name), a, b, expected)


def check_pair(operation, a, b, expected):
    if isinstance(expected, type):
        with pytest.raises(expected):
            operation(OPERANDS[a](), OPERANDS[b]())
        return
    result = unthunk(operation(OPERANDS[a](), OPERANDS[b]()))
    assert result == expected
    assert getattr(result, "dtype", None) != object
    if expected in (Z, N, M):
        assert result is expected


def test_unary_operators():
    assert (-ZERO, +ZERO, -NO_TANGENT, -MISSING) == (ZERO, ZERO, NO_TANGENT, MISSING)
    assert -structural(1.0) == structural(-1.0)
    assert -Thunk(lambda: 3.0) == -3.0
    assert np.negative(structural(1.0)) == structural(-1.0)
    assert np.conj(Tangent[tuple](1j, ZERO, 2.0, np.array([1j]))) == Tangent[tuple](
        -1j, ZERO, 2.0, np.array([-1j])
    )
    assert np.conj(ZERO) is ZERO


@pytest.mark.parametrize("zero", [ZERO, NO_TANGENT], ids=repr)
@pytest.mark.parametrize(
    "x",
    [
        *(True, 3, 2.5, 1 + 2j, 10**30, Fraction(1, 3), Decimal("0.1"), float("nan"), -0.0),
        *(np.float16(1), np.int8(1), np.bool_(True), np.clongdouble(1), np.ones(()), np.ones(0)),
        *(np.ones((2, 3), "?"), np.ones((4, 4), "F")[::-2, 1:], np.array([-0.0, np.nan, np.inf])),
    ],
    ids=repr,
)
def test_a_zero_and_natural_values(zero, x):
    """A sum is the same object, and a product the zero."""
    for same in (x + zero, zero + x, x - zero, np.add(x, zero), np.add(zero, x)):
        assert same is x
    for product in (x * zero, zero * x, zero / x, np.multiply(x, zero), np.divide(zero, x)):
        assert product is zero
    y = x
    y += zero
    y -= zero
    assert y is x
    if getattr(x, "dtype", float) != bool:
        assert repr(zero - x) == repr(-x)


# --- structural tangents -------------------------------------------------------------------------------------------

Pair = namedtuple("Pair", "x y")


class Layer:
    def __init__(self, w):
        self.w, self.name = w, "layer"


def test_a_primal_moves_field_by_field():
    assert (1.0, 7, "s") + Tangent[tuple](0.5, NO_TANGENT, NO_TANGENT) == (1.5, 7, "s")
    assert Tangent[list](0.5, ZERO) + [1.0, 2.0] == [1.5, 2.0]
    assert {"a": 1.0, "b": 2.0} + Tangent[dict]({"b": 1.0}) == {"a": 1.0, "b": 3.0}
    moved = Pair(1.0, 2.0) + Tangent[Pair](y=1.0)
    assert (type(moved), moved) == (Pair, (1.0, 3.0))


def test_an_object_moves_and_nothing_moves_by_zero():
    layer = Layer(1.0)
    moved = layer + Tangent[Layer](w=2.0)
    assert (type(moved), moved.w, moved.name, layer.w) == (Layer, 3.0, "layer", 1.0)
    assert layer + Tangent[Layer](w=ZERO, name=NO_TANGENT) is layer


@pytest.mark.parametrize(
    "factor", [2, 2.0, np.float32(2), np.array(2.0), np.int8(2), Fraction(2)], ids=repr
)
def test_scaling(factor):
    t = Tangent[dict]({"w": np.array([1.0, 3.0]), "n": NO_TANGENT, "z": ZERO})
    doubled = Tangent[dict]({"w": np.array([2.0, 6.0]), "n": NO_TANGENT, "z": ZERO})
    if isinstance(factor, Fraction):
        t, doubled = Tangent[dict]({"w": 1.0}), Tangent[dict]({"w": 2.0})
    assert factor * t == doubled
    assert t * factor == doubled
    assert doubled / factor == t


def test_missing_fields_are_zero_in_sums():
    a, b = Tangent[Pair](x=1.0), Tangent[Pair](y=2.0)
    assert a + b == Tangent[Pair](1.0, 2.0)
    assert a - b == Tangent[Pair](1.0, -2.0)
    assert Tangent[dict]({"u": 1.0}) + Tangent[dict]({"v": 2.0}) == Tangent[dict](
        {"u": 1.0, "v": 2.0}
    )


def test_order_of_precedence():
    assert [rank(make()) for make in OPERANDS.values()] == list(range(len(ORDER)))
