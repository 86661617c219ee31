"""Subclasses of NumPy's arrays: those that change the meaning of operations are refused, as
arguments and as constants.
"""

import numpy as np
import pytest

from chainrules_py.errors import SeedError
from chainrules_py.values.arrays import ArrayLibrary, register_library
from chainrules_tape import grad, jvp, taylor, vjp, vmap
from chainrules_tape.refusals.errors import InputError, LostGradientError
from chainrules_tape.refusals.subclasses import changes_meanings, only_carries
from slopes import quotients

MASKED = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
MATRIX = np.array([[1.0, 2.0, 0.5], [0.5, 1.0, 0.2], [0.1, 0.3, 1.0]]).view(np.matrix)
X = np.array([0.31, 0.87, 0.52])


class Named(np.ndarray):
    """An array that carries a name."""

    def __array_finalize__(self, other):
        self.name = getattr(other, "name", "")


class Tropical(np.ndarray):
    """Another multiplication."""

    def __mul__(self, other):
        return np.add(self, other)


class Observed(np.ndarray):
    """An array that tells others what is written into it, and of which results are plain arrays."""

    __array_priority__ = -1

    def __new__(cls, values):
        return np.asarray(values, float).view(cls)

    def __array_finalize__(self, other):
        self.observers = getattr(other, "observers", None)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        plain = array.view(np.ndarray)
        return plain[()] if return_scalar else plain

    def __setitem__(self, index, value):
        super().__setitem__(index, value)
        self.observers = [*(self.observers or ()), index]

    def copy(self):
        return Observed(np.array(self))


class Doubling(Observed):
    """Results have other numbers."""

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return 2 * super().__array_wrap__(array, context, return_scalar)


def named(values):
    return np.asarray(values).view(Named)


@pytest.mark.parametrize(
    "array", [MASKED, MATRIX, X.view(Tropical)], ids=lambda a: type(a).__name__
)
@pytest.mark.parametrize(
    "f",
    [np.sum, np.ma.filled, lambda x: np.sum(x * x), lambda x: x],
    ids=["sum", "filled", "*", "nothing"],
)
def test_refused_as_arguments(array, f):
    for call in (
        lambda: vjp(f, array),
        lambda: jvp(f, (array,), (array,)),
        lambda: taylor(f, array, 1),
        lambda: vmap(f)(array),
        lambda: vmap(lambda x, a: f(a), (0, None))(X, array),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.value is type(array)


@pytest.mark.parametrize("array", [MASKED, X.view(Tropical)], ids=lambda a: type(a).__name__)
def test_refused_as_tangents(array):
    for call in (
        lambda: jvp(np.square, (X,), (array,)),
        lambda: jvp(lambda p: p["x"], ({"x": X},), ({"x": array},)),
        lambda: vjp(np.square, X)[1](array),
    ):
        with pytest.raises(SeedError) as caught:
            call()
        assert caught.value.value is array


def test_tangents_that_carry_something_are_their_numbers():
    _, y_dot = jvp(np.square, (X,), (named(X),))
    np.testing.assert_allclose(y_dot, 2 * X * X)
    np.testing.assert_allclose(vjp(np.square, X)[1](Doubling(X).view(Named))[0], 2 * X * X)


def test_the_function_is_named():
    def loss(x):
        return np.sum(x)

    with pytest.raises(InputError) as caught:
        grad(loss)(MATRIX)
    assert caught.value.function is loss


CONSTANTS = {
    "masked": lambda x: np.sum(x * MASKED),
    "masked, of a number": lambda x: np.sum(x[0] + MASKED),
    "masked, of a function": lambda x: np.dot(x, MASKED),
    "masked, in a list": lambda x: np.concatenate([x, MASKED]).sum(),
    "matrix": lambda x: np.sum(x * MATRIX),
    "matrix, of a number": lambda x: np.sum(MATRIX * x[0]),
    "matrix, of a function": lambda x: np.sum(np.exp(np.multiply(x[0], MATRIX))),
    "tropical": lambda x: np.sum(x * X.view(Tropical)),
    "doubling": lambda x: np.sum(x * Doubling(X)),
    "doubling, first": lambda x: np.sum(Doubling(X) * x),
    "doubling, of a function": lambda x: np.dot(Doubling(X), x),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_refused_as_constants(name):
    with pytest.raises((InputError, LostGradientError)):
        grad(CONSTANTS[name])(X)
    with pytest.raises((InputError, LostGradientError)):
        jvp(CONSTANTS[name], (X,), (X,))
    with pytest.raises((InputError, LostGradientError)):
        vmap(CONSTANTS[name])(np.stack([X, X]))


def defining(name: str, bases: tuple[type, ...] = (np.ndarray,)):
    """A subclass with a method of its own, which computes with twice the array."""

    def method(self, *args):
        doubled = 2.0 * np.asarray(self)
        plain = [np.asarray(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
        return getattr(doubled, name)(*plain)

    return type(f"Own{name}", bases, {name: method})


MEANINGS = (
    *("__getitem__", "__len__", "__iter__", "__contains__", "__bool__", "__float__", "__setitem__"),
    *("__iadd__", "__ipow__", "__imatmul__", "__invert__", "__and__", "__rxor__", "__lshift__"),
    *("sum", "mean", "copy", "astype"),
)


@pytest.mark.parametrize("name", MEANINGS)
def test_each_method_that_programs_use_is_a_meaning(name):
    cls = defining(name)
    assert changes_meanings(cls)
    assert not only_carries(cls)
    with pytest.raises(InputError, match=name) as caught:
        grad(np.sum)(X.view(cls))
    assert "__chainrules_parts__" in caught.value.instead
    assert changes_meanings(defining(name, (Observed,)))


@pytest.mark.parametrize("make", [lambda x: x.view(np.matrix), lambda x: x.view(type=np.matrix)])
def test_a_traced_value_as_an_array_of_another_class_is_refused_by_its_name(make):
    for call in (lambda: grad(lambda x: np.sum(make(x)))(X), lambda: jvp(make, (X,), (X,))):
        with pytest.raises(LostGradientError, match=r"x.view\(numpy.matrix\)") as caught:
            call()
        assert "numpy.where" in caught.value.instead


class Quaternion(np.ndarray):
    """An array that takes the memory of its argument."""

    def __new__(cls, values):
        return super().__new__(cls, (3,), float, values)


def test_a_traced_value_as_the_memory_of_an_array_of_another_class_is_refused():
    for call in (
        lambda: grad(lambda x: np.sum(Quaternion(2.0 * x)))(X),
        lambda: jvp(Quaternion, (X,), (X,)),
    ):
        with pytest.raises(TypeError) as caught:
            call()
        said = f"{caught.value} {getattr(caught.value, '__notes__', ())}"
        assert "stop_gradient(x), if a constant is meant" in said


@pytest.mark.parametrize(
    "make", [named, lambda a: np.asarray(a).view(np.recarray)], ids=["named", "recarray"]
)
def test_harmless_ones_are_arrays(make):
    np.testing.assert_allclose(grad(lambda x: np.sum(x * make(X)))(X), X)
    np.testing.assert_allclose(grad(lambda x: np.sum(x * x))(make(X)), 2 * X)


def test_what_is_written_into_a_constant_is_not_seen():
    observed = Observed(X)
    grad(lambda x: np.sum(x * observed + np.stack([x, observed])))(X)
    assert observed.observers is None


def test_files_are_arrays(tmp_path):
    stored = np.memmap(tmp_path / "x", dtype=float, mode="w+", shape=3)
    stored[:] = X
    np.testing.assert_allclose(grad(lambda x: np.sum(np.sin(x) * stored))(stored), np.cos(X) * X)


def test_registered_ones_are_arrays():
    class Registered(Tropical):
        pass

    assert changes_meanings(Registered)
    register_library(ArrayLibrary(name="tropical", namespace=np, array_types=(Registered,)))
    assert not changes_meanings(Registered)


class Matrix(np.ndarray):
    """An array of which `*` is the product of matrices, and which says so of traced ones."""

    def __mul__(self, other):
        return np.matmul(self.view(np.ndarray), np.asarray(other)).view(Matrix)

    def __chainrules_parts__(self):
        return {"array": self.view(np.ndarray)}

    def __chainrules_with_parts__(self, parts):
        array = parts["array"]
        return array.view(Matrix) if type(array) is np.ndarray else TracedMatrix(array)


class TracedMatrix:
    """What stands for a `Matrix` of a traced array."""

    def __init__(self, array):
        self.array = array

    def __mul__(self, other):
        return TracedMatrix(self.array @ getattr(other, "array", other))

    def sum(self):
        return np.sum(self.array)


def test_a_view_is_what_the_class_says_that_it_is():
    def f(x):
        m = x.view(Matrix)
        return (m * m * x.view(type=Matrix)).sum()

    x = np.array([[0.3, 0.7], [0.2, 0.9]])
    expected = quotients(f, x).reshape(2, 2)
    np.testing.assert_allclose(grad(f)(x), expected, rtol=1e-8)
    np.testing.assert_allclose(jvp(f, (x,), (x,))[1], np.sum(expected * x), rtol=1e-8)
