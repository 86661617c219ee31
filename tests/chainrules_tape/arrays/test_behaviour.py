"""Traced values behave as the arrays they hold: every operator, method and attribute, in both
modes, against NumPy itself.
"""

import inspect
import logging
import numbers
import operator

import numpy as np
import pytest

from chainrules_py import ZERO, Tangent
from chainrules_tape import grad, jvp, value_and_grad, vjp
from chainrules_tape.arrays.behaviour import METHODS
from chainrules_tape.arrays.handles import TapeArray
from chainrules_tape.arrays.operators import BINARY, COMPARISONS, UNARY
from chainrules_tape.refusals.errors import InPlaceError, LostGradientError
from chainrules_tape.refusals.handles import TracedArray, plain

X = np.array([[0.5, 1.5], [2.5, 0.25]])
OTHERS = {
    "array": np.array([2.0, 3.0]),
    "float32": np.array([2.0, 3.0], "float32"),
    "scalar": np.float64(2.0),
    "float": 3.0,
    "int": 2,
    "list": [1.0, 2.0],
}


def by_reverse(f, *args):
    return vjp(f, *args)


def by_forward(f, *args):
    return jvp(
        f, args, tuple(np.ones_like(arg) if isinstance(arg, np.ndarray) else 1.0 for arg in args)
    )


MODES = pytest.mark.parametrize("traced", [by_reverse, by_forward])


def seen(traced, f, *args):
    """What f returns when its arguments are traced, as plain values; and whether it was traced."""
    results = []

    def watching(*handles):
        results.append(f(*handles))
        return 0.0

    traced(watching, *args)
    return plain_tree(results[0]), is_traced(results[0])


def plain_tree(x):
    return type(x)(map(plain_tree, x)) if type(x) in (tuple, list) else plain(x)


def is_traced(x):
    return any(map(is_traced, x)) if isinstance(x, tuple | list) else isinstance(x, TracedArray)


def same(got, expected):
    assert type(got) is type(expected)
    assert getattr(got, "dtype", None) == getattr(expected, "dtype", None)
    np.testing.assert_array_equal(got, expected)


@MODES
@pytest.mark.parametrize("other", OTHERS.values(), ids=list(OTHERS))
@pytest.mark.parametrize("name", [*BINARY, *COMPARISONS])
def test_binary_operators_on_either_side(traced, name, other):
    function = divmod if name == "divmod" else getattr(operator, name)
    if name == "matmul" and np.ndim(other) == 0:
        with pytest.raises(ValueError, match="matmul"):
            traced(lambda x: x @ other, X)
        return
    for f in (lambda x: function(x, other), lambda x: function(other, x), lambda x: function(x, x)):
        got, _ = seen(traced, f, X)
        same(got, f(X))


@MODES
@pytest.mark.parametrize("name", UNARY)
def test_unary_operators(traced, name):
    got, active = seen(traced, getattr(operator, name), X)
    same(got, getattr(operator, name)(X))
    assert active


CALLS = {
    **dict.fromkeys((*METHODS, "copy", "flatten", "conj", "conjugate"), ()),
    "reshape": (4,),
    "squeeze": (),
    "swapaxes": (0, 1),
    "take": ([1, 0],),
    "repeat": (2,),
    "compress": ([True, False],),
    "choose": None,  # integers: below
    "dot": (np.ones((2, 2)),),
    "clip": (0.4, 2.0),
    "astype": ("float32",),
    "searchsorted": None,  # one axis: below
    "argpartition": (1,),
    "round": (1,),
}


@MODES
@pytest.mark.parametrize("name", [name for name, args in CALLS.items() if args is not None])
def test_methods(traced, name):
    args = CALLS[name]
    got, _ = seen(traced, lambda x: getattr(x, name)(*args), X)
    same(got, getattr(X, name)(*args))


@MODES
def test_methods_of_other_shapes(traced):
    same(seen(traced, lambda x: x.searchsorted(0.7), np.array([0.5, 1.0]))[0], np.int64(1))
    for f in (
        lambda x: x.transpose(1, 0),
        lambda x: x.reshape((4, 1)),
        lambda x: x.reshape(2, -1, order="F"),
        lambda x: x.max(axis=0),
    ):
        same(seen(traced, f, X)[0], f(X))


FUNCTIONS_OF_THE_VALUE = ("T", "mT", "real", "imag")
FACTS = ("shape", "dtype", "ndim", "size", "itemsize", "nbytes", "strides", "device")


@MODES
@pytest.mark.parametrize("name", [*FUNCTIONS_OF_THE_VALUE, *FACTS])
def test_attributes(traced, name):
    got, active = seen(traced, lambda x: getattr(x, name), X)
    assert active == (name in FUNCTIONS_OF_THE_VALUE)
    np.testing.assert_array_equal(got, getattr(X, name))


INDICES = {
    "int": 1,
    "slice": slice(None, None, -1),
    "pair": (0, 1),
    "none": (None, 0),
    "ellipsis": (..., 1),
    "mask": X > 1,
    "list": [1, 1, 0],
    "arrays": (np.array([0, 1]), np.array([1, 1])),
    "numpy": np.int64(1),
}


@MODES
@pytest.mark.parametrize("index", INDICES.values(), ids=list(INDICES))
def test_indexing(traced, index):
    got, active = seen(traced, lambda x: x[index], X)
    same(got, X[index])
    assert active


@MODES
def test_python_protocols(traced):
    def f(x):
        assert len(x) == 2
        assert [row.shape for row in x] == [(2,), (2,)]
        (a, b), (c, d) = x
        assert a < b
        assert not (c < d)
        assert 0.5 in x
        assert 7.0 not in x
        assert isinstance(a, numbers.Real)
        assert not isinstance(x, numbers.Number)
        assert np.isscalar(a)
        assert sum(row.sum() for row in x) == X.sum()
        assert "traced" not in repr(a)
        assert f"{a:.1f}" == f"{type(a).__name__}(0.5)"
        assert len(repr(np.tile(x, 1000))) < 200
        assert str(x) == f"{type(x).__name__}({X!r})"
        with pytest.raises(TypeError):
            hash(x)
        with pytest.raises(TypeError):
            list(a)
        with pytest.raises(ValueError, match="ambiguous"):
            bool(x)
        return x

    traced(f, X)


INSTANCES = {
    "array": (X, np.ndarray, numbers.Number),
    "0-d array": (np.array(0.5), np.ndarray, numbers.Number),
    "NumPy's number": (np.float64(0.5), (float, np.floating, numbers.Real), np.ndarray),
    "NumPy's small number": (np.float32(0.5), (np.float32, numbers.Real), (float, np.ndarray)),
    "number": (0.5, (float, numbers.Real), np.generic),
    "complex number": (1 + 2j, (complex, numbers.Complex), (numbers.Real, np.generic)),
}


@pytest.mark.parametrize("case", INSTANCES)
def test_isinstance_answers_as_for_the_value(case):
    value, classes, others = INSTANCES[case]
    asked = []

    def f(x):
        asked.append(
            isinstance(x, classes) and not isinstance(x, others) and x.__class__ is type(value)
        )
        asked.append(isinstance(x, TracedArray))
        return x

    jvp(f, (value,), (value,))
    vjp(f, value)
    jvp(lambda x: jvp(f, (x,), (x,))[1], (value,), (value,))
    assert asked == 6 * [True]
    assert isinstance(value, classes)
    assert not isinstance(value, others)


@MODES
def test_special_tangents_have_the_say_about_sums(traced):
    def f(x):
        assert x + ZERO is x
        assert ZERO + x is x
        assert np.add(x, ZERO) is x
        assert np.add(ZERO, x) is x
        assert x * ZERO is ZERO
        assert np.multiply(ZERO, x) is ZERO
        with pytest.raises(TypeError):
            x + Tangent[tuple](1.0)
        return x

    traced(f, X)


@MODES
@pytest.mark.parametrize("x", [2.5, np.float64(2.5), np.array(2.5)])
def test_text_shows_the_number(traced, x):
    shown = []

    def f(x):
        shown.append(logging.LogRecord("", 0, "", 0, "%.3f, %d", (x, x), None).getMessage())
        return x * x

    traced(f, x)
    grad(grad(f))(x)
    assert set(shown) == {"2.500, 2"}


def test_what_an_array_has_is_answered():
    for name in dir(np.ndarray):
        if not name.startswith("__"):
            assert inspect.getattr_static(TapeArray, name, None) is not None, name


MASK = np.array([[True, False, True], [False, True, True]])


def test_a_ufunc_where_a_mask_holds_leaves_zeros_with_zero_derivatives():
    # of the negative ones no logarithm is taken: nothing warns
    x = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, 6.0]])
    found, x_bar = value_and_grad(lambda x: np.sum(np.log(x, where=MASK, out=None)))(x)
    assert found == pytest.approx(np.sum(np.log(x[MASK])))
    np.testing.assert_allclose(x_bar, MASK / x)
    np.testing.assert_allclose(jvp(lambda x: np.log(x, where=MASK), (x,), (x,))[1], 1.0 * MASK)


def test_a_mask_that_holds_everywhere_or_for_a_number_or_with_several_outputs():
    def f(x):
        everywhere = np.add(x, x, where=True) + np.multiply(x, [3.0, 1.0], where=np.ones(2, bool))
        number = np.sin(x[0], where=np.array(True)) + np.cos(x[0], where=np.array(False))
        return np.sum(everywhere + np.modf(x, where=[True, False])[0]) + number

    found = grad(f)(np.array([0.25, 2.5]))
    np.testing.assert_allclose(found, [6.0 + np.cos(0.25), 3.0])


def test_a_mask_of_numbers_is_refused():
    with pytest.raises(TypeError, match="booleans"):
        grad(lambda x: np.sum(np.add(x, 1.0, where=[1, 0])))(np.ones(2))


def test_an_empty_array_like_a_traced_one_is_a_constant():
    np.testing.assert_array_equal(
        grad(lambda x: np.sum(x * np.empty_like(x).size))(np.ones(2)), [2.0, 2.0]
    )


class Doubled(np.ndarray):
    """A subclass of which a product is another."""

    def __mul__(self, other):
        return 2 * np.asarray(self) * other


def test_views_as_other_classes_are_refused():
    x = np.array([0.3, 0.7, 1.1])
    for arguments in ((Doubled,), (np.matrix,), ("i8",), (np.float64, Doubled)):
        with pytest.raises(LostGradientError):
            grad(lambda x, arguments=arguments: np.sum(x.view(*arguments)))(x)


def test_flags_that_forbid_writes_are_taken_and_others_refused():
    def f(x):
        y = x * 2
        y.setflags(write=False)
        return (y**2).sum()

    assert grad(f)(np.array([1.0, 2.0])).tolist() == [8.0, 16.0]
    for flags in ({}, {"write": True}, {"write": False, "align": True}):
        with pytest.raises(InPlaceError, match="setflags"):
            grad(lambda x, flags=flags: x.setflags(**flags))(np.ones(2))
