"""An alias must be the same function as its primal: checked by calling both."""

import cmath
import math
import operator

import numpy as np
import pytest

from chainrules_numpy.aliases import MATH, OPERATORS
from chainrules_py import (
    NO_TANGENT,
    AbstractZero,
    NoRuleError,
    default_rules,
    frule,
    rrule,
    unthunk,
)
from chainrules_py.calls.method_names import METHODS, RARER_METHODS
from chainrules_py.values.operators import BINARY
from slopes import along, quotients

X = np.array([[0.3, 0.7], [0.2, 0.5]])
V, CUBE = np.array([1.0, 3.0, 2.0]), np.arange(24.0).reshape(4, 2, 3)
default_rules.load_all()


def same(alias, *args, **options):
    """Call the alias, and what the table says it is."""
    primal, canonical, kept = default_rules.canonical(alias, args, options)
    assert primal is not alias
    assert "dtype" not in kept
    np.testing.assert_allclose(
        np.asarray(alias(*args, **options)), np.asarray(primal(*canonical, **kept))
    )


OF_BITS = (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift)


@pytest.mark.parametrize("name", sorted(set(OPERATORS) - {"invert"}))
def test_operators(name):
    x = np.array([[5, 2], [1, 3]]) if OPERATORS[name] in OF_BITS else X
    args = (x,) if name in ("neg", "pos", "abs") else (x, x + 1)
    same(getattr(operator, f"__{name}__"), *args)
    same(getattr(np.ndarray, f"__{name}__"), *args)


def test_invert():
    same(operator.invert, np.array([True, False]))


@pytest.mark.parametrize("name", BINARY)
def test_reflected_operators_swap(name):
    same(getattr(np.ndarray, f"__r{name}__"), X, X + 1)


@pytest.mark.parametrize("function", MATH)
def test_math(function):
    for args in [(0.5,), (0.5, 0.25), (6, 4), (1.5,)]:
        try:
            function(*args)
        except (TypeError, ValueError):
            continue
        first = np.asarray(args[0])[()]  # of numbers of Python's alone it stays itself
        same(function, first, *args[1:])
        return
    pytest.fail("no example call fits")


METHOD_ARGS = {
    "argpartition": (1,),
    "take": ([0, 1],), "repeat": (2,), "dot": (X,), "swapaxes": (0, 1), "clip": (0.25, 0.4),
    "astype": (np.float32,), "searchsorted": (0.5,), "choose": ([X[0], X[1]],),
}  # fmt: skip


@pytest.mark.parametrize("name", [*METHODS, *RARER_METHODS])
def test_methods(name):
    subject = {"choose": np.array([1, 0]), "searchsorted": X[0]}.get(name, X)
    same(getattr(np.ndarray, name), subject, *METHOD_ARGS.get(name, ()))


REWRITTEN = [
    (np.ndarray.reshape, (X, 4), {}),
    (np.ndarray.reshape, (X, (4, 1)), {}),
    (np.ndarray.reshape, (X, 1, 4), {"order": "F"}),
    (np.ndarray.transpose, (X,), {}),
    (np.ndarray.transpose, (X, 1, 0), {}),
    (np.ndarray.transpose, (X, (0, 1)), {}),
    (np.add.reduce, (X,), {}),
    (np.add.reduce, (X,), {"axis": None}),
    (np.add.reduce, (X, 1), {"keepdims": True}),
    (np.multiply.reduce, (X,), {}),
    (np.maximum.reduce, (X,), {}),
    (np.add.accumulate, (X,), {}),
    (np.multiply.accumulate, (X, 1), {}),
    (abs, (X,), {}),
    (pow, (X, 2.0), {}),
    (divmod, (X, 0.2), {}),
    (np.ndarray.__divmod__, (X, 0.2), {}),
    (np.ndarray.__rdivmod__, (X, 0.7), {}),
    (np.ndarray.__copy__, (X,), {}),
    (np.ndarray.__deepcopy__, (X, {}), {}),
    (np.ndarray.compress, (X, [True, False]), {"axis": 0}),
    (np.ndarray.__getitem__, (X, (0, slice(None))), {}),
    (np.linalg.matmul, (X, X), {}),
    (np.linalg.matrix_transpose, (CUBE,), {}),
    (np.linalg.diagonal, (CUBE,), {}),
    (np.linalg.diagonal, (CUBE,), {"offset": -1}),
    (np.linalg.trace, (CUBE,), {"offset": 1}),
    (np.linalg.outer, (V, V[:2]), {}),
    (np.linalg.cross, (CUBE[0], V), {}),
    (np.linalg.cross, (CUBE.T, CUBE.T), {"axis": 0}),
    (np.linalg.tensordot, (CUBE, CUBE[0]), {"axes": 2}),
    (np.linalg.vecdot, (CUBE, V), {}),
    (np.linalg.vecdot, (X, X), {"axis": 0}),
    (np.logaddexp.reduce, (X, 1, None), {}),
    (np.add.reduce, (X, 1, None), {}),
    (np.maximum.reduceat, (X, [0], 1, None), {}),
]


@pytest.mark.parametrize(("alias", "args", "options"), REWRITTEN)
def test_calls_that_are_rewritten(alias, args, options):
    same(alias, *args, **options)


OF_NUMBERS = [
    *((operator.mul, (2**62, 4)), (operator.pow, (3, 50)), (operator.pow, (-8.0, 1 / 3))),
    *((operator.truediv, (1.0, 0.0)), (operator.truediv, (3.0, 4)), (operator.mod, (7.0, -2.5))),
    *((math.sqrt, (-1.0,)), (math.exp, (1000.0,)), (math.exp, (0.3,)), (math.floor, (1.5,))),
    *((operator.lt, (2.0**53, 2**53 + 1)), (operator.add, (True, 2)), (abs, (-2.0,))),
    *((pow, (2.0, 3)), (divmod, (7.5, 2)), (operator.floordiv, (7.0, 2.0)), (math.atan2, (1.0, 2))),
    *((round, (2.5,)), (round, (2.671, 2)), (round, (25, -1)), (round, (math.inf,))),
    *((operator.and_, (12, 10)), (operator.or_, (2**70, 1)), (operator.xor, (True, False))),
    *((operator.lshift, (1, 70)), (operator.rshift, (5, 1)), (operator.iadd, (2**62, 2**62))),
    *(
        (operator.imul, (1.5, -2.0)),
        (operator.itruediv, (1.0, 0.0)),
        (operator.ipow, (-8.0, 1 / 3)),
    ),
    *((operator.ior, (8, 1)), (math.hypot, (0.1, 0.7)), (math.hypot, (0.1, -0.7, 2.3, 1e-3))),
    *(
        (cmath.sqrt, (-1.0,)),
        (cmath.exp, (0.3,)),
        (math.log, (0.5,)),
        (math.log, (8.0, 2)),
        (math.log, (0.0,)),
        (math.log, (2.0, 1.0)),
        (cmath.log, (0.0,)),
        (cmath.log, (2.0, 10)),
        (cmath.polar, (3.0 - 4j,)),
        (cmath.rect, (2.0, 0.5)),
        (cmath.phase, (1 - 2j,)),
    ),
    *((cmath.atan, (1j,)), (cmath.exp, (1000.0,)), (cmath.phase, (-1.0,))),
]


@pytest.mark.parametrize(("function", "args"), OF_NUMBERS)
def test_functions_of_pythons_numbers_have_pythons_value(function, args):
    try:
        expected = function(*args)
    except (ArithmeticError, ValueError) as error:
        with pytest.raises(type(error)):
            rrule(function, *args)
        with pytest.raises(type(error)):
            frule(tuple(1.0 for _ in args), function, *args)
        return
    y, pullback = rrule(function, *args)
    assert (type(y), repr(y)) == (type(expected), repr(expected))
    primal, canonical, _ = default_rules.canonical(function, args, {})
    run = default_rules.resolve("reverse", primal, tuple(map(type, canonical)))
    assert repr(run(*canonical)[0]) == repr(expected)
    if type(expected) is not float:
        return
    for k, (x, bar) in enumerate(zip(args, pullback(1.0), strict=True)):
        if type(x) is float:
            slope = quotients(along(function, args, k), x)
            assert (0.0 if isinstance(bar, AbstractZero) else bar) == pytest.approx(slope, abs=1e-8)


def test_operators_in_place_are_of_numbers_alone():
    assert rrule(operator.iadd, np.float64(2.0), 3.0)[0] == 5.0
    with pytest.raises(TypeError, match=r"write operator\.add\(x, y\)"):
        rrule(operator.iadd, X, 1.0)


def test_what_has_no_rule_says_so_under_its_own_name():
    with pytest.raises(NoRuleError, match=r"ndarray\.tobytes"):
        rrule(X.tobytes)


@pytest.mark.parametrize("index", [(4,), (-1,), (1, 2), ((0, 1),)])
def test_an_entry_as_a_number(index):
    x = np.arange(6.0).reshape(2, 3)
    y, pullback = rrule(np.ndarray.item, x, *index)
    expected = np.zeros((2, 3))
    expected[np.where(x == x.item(*index))] = 2.0
    assert y == x.item(*index)
    np.testing.assert_array_equal(unthunk(pullback(2.0)[0]), expected)
    assert (
        frule((np.ones((2, 3)), *[NO_TANGENT] * len(index)), np.ndarray.item, x, *index)[1] == 1.0
    )


def test_the_only_entry_as_a_number():
    x = np.array([[3.0]])
    y, pullback = rrule(np.ndarray.item, x)
    assert (y, unthunk(pullback(1.0)[0]).tolist()) == (3.0, [[1.0]])
    assert rrule(np.ndarray.item, np.array(2.0))[1](1.0)[0] == 1.0
    with pytest.raises(ValueError, match=r"of shape \(2, 2\); name an entry"):
        rrule(np.ndarray.item, X)


def test_a_power_with_a_modulus_names_the_alternative():
    with pytest.raises(TypeError, match=r"of integers.*pow\(x, y\) % modulus"):
        rrule(pow, 3, 5, 7)
