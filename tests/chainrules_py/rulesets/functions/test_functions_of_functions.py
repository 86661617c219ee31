"""Rules of functions that call a function: what it holds, what programs of `product` do not do, and
what they refuse.
"""

import functools
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from chainrules_py import (
    NO_TANGENT,
    ZERO,
    NotDifferentiableError,
    RuleTable,
    Tangent,
    composed,
    default_rules,
    frule,
    rrule,
)
from chainrules_py.rulesets.functions.mapping import mapped_items
from chainrules_py.tangents import entries, materialize
from chainrules_py.testing import Settings, check_rule
from chainrules_tape import grad
from chainrules_tape.core.config import TapeConfig
from processes import printed
from slopes import quotients
from stand_ins.table_engine import TableEngine


@dataclass
class Waves:
    by: Any

    def __call__(self, x):
        return np.sin(self.by * x)


@dataclass
class Total(Waves):
    def __call__(self, x):
        return np.sum(np.sin(self.by * x))


@dataclass
class Step(Waves):
    def __call__(self, y, x):
        return y * self.by + np.sin(x)


@dataclass
class Reduced(Waves):
    def __call__(self, x, axis: int):
        return np.sum(self.by * x**2, axis)


def mapped(function, *iterables):
    """A list, as the rule of `map` gives it: what `map` itself returns cannot be compared."""
    return list(map(function, *iterables))


def several(x, y):
    return x * y, 3, np.exp(x)


def polynomial(x, coefficients, shift=0.0, *, scale=1.0):
    return functools.reduce(lambda y, c: y * x + c, coefficients, 0.0) * scale + shift


MAPPED = RuleTable(parent=default_rules)
composed(mapped, one_by_one=True, table=MAPPED)(mapped_items)
TABLE, TAPE = TableEngine(), TapeConfig(default_rules)
Pair = namedtuple("Pair", "left right")
X, Y = np.array([0.5, -1.5, 2.0]), np.array([[0.3], [-0.7]])
M = np.array([[0.3, -0.7, 1.1], [0.5, 0.9, -0.2]])
CUBE = np.random.default_rng(0).normal(size=(2, 3, 2))
ALONG, OVER, BY, REDUCE = np.apply_along_axis, np.apply_over_axes, np.piecewise, functools.reduce
CALLS = {
    # what a function holds
    "map": (mapped, Waves(1.3), X),
    "map of nothing": (mapped, Waves(1.3), []),
    "reduce": (REDUCE, Step(0.7), X),
    "reduce, with an initial value": (REDUCE, Step(X), M, 0.4),
    "apply_along_axis": (ALONG, Waves(X), 1, M),
    "apply_over_axes": (OVER, Reduced(1.7), M, [0, 1]),
    "piecewise": (BY, X, [X > 0], [Waves(1.3), 0.5]),
    "piecewise, several": (BY, X, [X > 0, X < 0], [Total(1.3), Waves(-0.4)]),
    # along axes and over them
    **{f"along an axis, {f.__name__}": (ALONG, f, -1, CUBE) for f in (np.sum, np.cumsum)},
    "along an axis to matrices": (ALONG, np.diag, 1, CUBE),
    "along an axis, with more arguments": (ALONG, np.multiply, 1, M, X),
    "along an axis to lists": (ALONG, lambda r: [r[0] * r[1], r[1] ** 2, 1.0], 0, M),
    "along an axis to constants": (ALONG, lambda r: [1.0, 2.0], 0, M),
    **{f"over axes, {axes}": (OVER, np.sum, CUBE, axes) for axes in (0, [0, 2], (-1, 0))},
    "the later one overwrites": (BY, M, [M < 1, M < 0], [np.sin, 7.0]),
    "one condition": (BY, X, X < 0, [np.sin, np.cos]),
    "by rows, a number": (BY, M, [np.array([2, 0])], [np.exp, 3.0]),
    "a number, one condition": (BY, 0.5, True, [np.square, 3.0]),
    "no entry, with more arguments": (
        *(BY, X, [[False] * 3, [True] * 3]),
        *([lambda v, k: k * v / np.max(v), lambda v, k: k * v**2], 0.5),
    ),
    "an entry for all": (BY, X, [X > 0], [lambda entries: entries[0] * entries[1], 0.5]),
    # over items
    "map of a namedtuple": (mapped, np.sin, Pair(0.5, 1.5)),
    "map of containers": (
        *(mapped, lambda row, x: (row["a"] * row["b"], x * x)),
        *([{"a": 0.5, "b": X}, {"a": 1.5, "b": M[0]}], X),
    ),
    "reduce to another shape": (REDUCE, np.add, [1.0, X], M),
    "reduce one item": (REDUCE, np.multiply, [X]),
    "reduce nothing but an initial value": (REDUCE, np.multiply, [], X),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    settings = Settings(rules=MAPPED, config=TAPE, second_order="where rules exist")
    check_rule(*CALLS[name], settings=settings)


VECTORIZED = {
    "excluded": (
        *(np.vectorize(polynomial, excluded={1, "scale"}), (M, np.array([2.0, -1.0]), X)),
        {"scale": 2.0},
    ),
    "all excluded": (np.vectorize(polynomial, excluded={0, 1}), (X, (1.0, 2.0)), {}),
    "a row of ones": (np.vectorize(np.multiply, signature="( ), (n) -> (n)"), (Y[:, 0], M), {}),
    "two outputs": (
        *(np.vectorize(lambda row: (np.sum(row), row * row), signature="(n)->(),(n)"), (M,)),
        {},
    ),
    "dtypes": (np.vectorize(several, otypes="ddd"), (X, Y), {}),
}


@pytest.mark.parametrize("name", VECTORIZED)
def test_vectorized_calls(name):
    """As a function of what is passed by position; the vectorised function itself is a constant."""
    vectorized, args, options = VECTORIZED[name]
    settings = Settings(config=TAPE, second_order="where rules exist", fixed=(0,))
    check_rule(np.vectorize.__call__, vectorized, *args, settings=settings, **options)


def test_a_number_in_a_function_beside_a_traced_array():
    def total(w):
        return np.sum(np.apply_along_axis(Total(w), 0, M * w[0]))

    w = np.array([0.6, -0.8])
    assert grad(total)(w) == pytest.approx(quotients(total, w))


# --- Engines ---


@pytest.mark.parametrize(
    "call",
    [
        (ALONG, Total(2.0), 0, M),
        (BY, X, [X > 0.5], [lambda x: x * x, np.cos]),
        (mapped, np.multiply, X, X),
        (REDUCE, np.multiply, X),
    ],
    ids=["along", "by", "map", "reduce"],
)
def test_without_an_engine(call):
    check_rule(*call, settings=Settings(rules=MAPPED, second_order="where rules exist"))


def opaque(x, *others):
    """A number that NumPy's functions do not compute, of which an engine knows the derivative."""
    return 3.0 * float(np.ravel(x)[0]) ** 2


class KnowsOpaque(TableEngine):
    """Differentiates that alone, by its first argument."""

    def rrule_via_ad(self, function, x, *others, **options):
        assert function is opaque
        return opaque(x), lambda y_bar: (y_bar * 6.0 * x, *(ZERO for _ in others))

    def frule_via_ad(self, dots, function, x, *others, **options):
        assert function is opaque
        return opaque(x), 6.0 * float(np.ravel(x * dots[0])[0])


ITEMS, COLUMN = [0.5, 2.0, 1.0], np.array([[0.5, 2.0]])


@pytest.mark.parametrize(
    ("call", "y_bar", "dot", "x_bar", "y_dot"),
    [
        (
            (map, opaque, ITEMS),
            [1.0, 9.0, 0.0],
            [1.0, 9.0, 0.0],
            [3.0, 108.0, 0.0],
            [3.0, 108.0, 0.0],
        ),
        ((REDUCE, opaque, ITEMS), 1.0, [2.0, 0.0, 0.0], [13.5, 0.0, 0.0], 27.0),
        ((ALONG, opaque, 0, COLUMN), np.array([1.0, 9.0]), np.ones((1, 2)), [3.0, 108.0], [3, 12]),
    ],
    ids=["map", "reduce", "along"],
)
def test_an_engine_is_asked_for_the_functions_that_a_body_is_given(call, y_bar, dot, x_bar, y_dot):
    def numbers(tangent):
        return [*entries(materialize(tangent, like=call[-1])).values()]

    config, dots = KnowsOpaque(), (*(NO_TANGENT for _ in call[2:]), dot)
    bar, along = rrule(*call, config=config)[1](y_bar)[-1], frule(dots, *call, config=config)[1]
    np.testing.assert_allclose(np.ravel(bar) if call[0] is ALONG else numbers(bar), x_bar)
    np.testing.assert_allclose(numbers(along) if call[0] is map else along, y_dot)
    with pytest.raises(TypeError, match="Traced"):  # by the body alone
        rrule(*call)


def test_the_first_call_of_a_process_finds_the_rule():
    code = """
import numpy as np
from chainrules_py import HasReverseMode, rrule
class Engine(HasReverseMode):
    rrule_via_ad = staticmethod(rrule)
print(rrule(np.vectorize(np.square), np.array([1.0, 2.0]), config=Engine())[1](np.ones(2))[0])
"""
    assert printed(code, PYTHONWARNINGS="error") == "[2. 4.]\n"


# --- What is not reached, and what has no tangent ---


def test_map_may_be_called_by_its_name():
    y, pullback = rrule(map, np.square, (3.0, 4.0), config=TABLE)
    assert y == [9.0, 16.0]
    assert pullback([1.0, ZERO]) == (NO_TANGENT, Tangent[tuple](6.0, ZERO))
    assert frule((NO_TANGENT, ZERO), map, np.square, (3.0, 4.0), config=TABLE) == (y, ZERO)


def test_what_is_not_reached_gets_zero():
    _, pullback = rrule(map, np.multiply, X, [2.0], config=TABLE)
    _, x_bar, factors_bar = pullback([1.0])
    assert x_bar.tolist() == [2.0, 0.0, 0.0]
    assert factors_bar == Tangent[list](0.5)
    _, pullback = rrule(REDUCE, lambda y, x: x if x > 1 else y * x, [0.5, 2.0, 0.5], config=TAPE)
    assert pullback(3.0) == (NO_TANGENT, Tangent[list](ZERO, 1.5, 6.0))


def test_integers_have_no_tangent():
    _, pullback = rrule(map, lambda k, n, x: k * n * x, (2, 3), np.arange(2), X, config=TAPE)
    assert pullback([1.0, 1.0])[:3] == (NO_TANGENT, NO_TANGENT, NO_TANGENT)


@pytest.mark.parametrize("dtype", [float, np.float32, np.complex64])
def test_one_of_several_outputs_has_numpys_dtype(dtype):
    vectorized, x, y = np.vectorize(several), X.astype(dtype), np.array([2.0, 3.0, 4.0], dtype)
    found, pullback = rrule(vectorized, x, y, config=TAPE)
    assert [part.dtype for part in found] == [part.dtype for part in vectorized(x, y)]
    bars = pullback(Tangent[tuple](np.ones(3, dtype), ZERO, ZERO))
    for bar, expected in zip(bars, (y, x), strict=True):
        assert bar.dtype == dtype
        np.testing.assert_array_equal(bar, expected)


@pytest.mark.parametrize("otypes", [[int], "i"])
def test_integer_results_have_no_tangent(otypes):
    vectorized = np.vectorize(np.multiply, otypes=otypes)
    y, pullback = rrule(vectorized, X, 2.0, config=TABLE)
    assert y.tolist() == vectorized(X, 2.0).tolist() == [1, -3, 4]
    assert pullback(NO_TANGENT) == (ZERO, ZERO)
    assert frule((X, 1.0), vectorized, X, 2.0, config=TABLE)[1] is ZERO
    # an integer first: NumPy truncates the others
    vectorized = np.vectorize(lambda x: 1 if 0 < x < 1 else x)
    y, y_dot = frule((X,), vectorized, X, config=TAPE)
    assert (y.tolist(), y_dot) == (vectorized(X).tolist(), ZERO)


def test_empty_arguments():
    empty = np.empty((0, 3))
    y, pullback = rrule(np.vectorize(np.multiply, otypes=[float]), empty, X, config=TABLE)
    empty_bar, x_bar = pullback(np.empty((0, 3)))
    assert (y.shape, empty_bar, x_bar) == ((0, 3), ZERO, ZERO)


# --- What Python and NumPy refuse ---

TWO_SHAPES = np.vectorize(lambda x: x if x > 1 else np.stack([x, x]), signature="()->()")
SOMETIMES_TWO = np.vectorize(lambda x: x if x < 1 else (x, x), otypes="d")
REFUSED = {
    "an array where there is one number": (np.vectorize(np.atleast_1d), (X,), "result"),
    "results of two shapes": (TWO_SHAPES, (X,), "result"),
    "axes that are not there": (np.vectorize(np.sum, signature="(n)->(n)"), (M,), "result"),
    "more results than types": (np.vectorize(np.modf, otypes="d"), (X,), "result"),
    "more than the signature": (np.vectorize(np.modf, signature="()->()"), (X,), "result"),
    "sometimes two results": (SOMETIMES_TWO, (X,), "result"),
    "more arguments": (np.vectorize(np.sin, signature="(n)->(n)"), (X, X), "signature"),
    "axes of two lengths": (np.vectorize(np.dot, signature="(n),(n)->()"), (X, X[:2]), 1),
    "too few axes": (np.vectorize(np.sum, signature="(n)->()"), (0.5,), 0),
    "fewer results than types": (np.vectorize(np.sin, otypes="dd"), (X,), "result"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_numpy_refuses_is_refused(name):
    vectorized, args, argument = REFUSED[name]
    with pytest.raises(NotDifferentiableError) as caught:
        rrule(vectorized, *args, config=TAPE)
    assert (caught.value.primal, caught.value.argument) == (vectorized, argument)
    if name != "fewer results than types":  # NumPy answers with nan
        with pytest.raises((TypeError, ValueError)):
            vectorized(*args)


@pytest.mark.parametrize(
    ("primal", "args", "error"),
    [
        (REDUCE, (np.add, []), TypeError),
        (REDUCE, (np.add, [1.0], 2.0, 3.0), TypeError),
        (np.vectorize(np.multiply), (np.empty((0, 3)), X), ValueError),
    ],
    ids=["nothing", "two initial values", "empty"],
)
def test_the_errors_of_python_and_numpy(primal, args, error):
    for run in (lambda: rrule(primal, *args, config=TABLE), lambda: primal(*args)):
        with pytest.raises(error, match="size 0 inputs" if error is ValueError else None):
            run()
