"""Gradients with respect to objects of users' classes, and to labelled arrays."""

import sys
from functools import partial

import numpy as np
import pytest

from chainrules_py.errors import ChainRulesError
from chainrules_tape import (
    as_primitive,
    grad,
    hessian,
    jacobian,
    jvp,
    value_and_grad,
    vjp,
    vmap,
)
from chainrules_tape.refusals.errors import InputError, OutputError
from product.converting import MAKERS
from product.plain import Layer

W, B = np.array([1.0, -2.0]), 0.5


class Unmarked:
    def __init__(self, w, b):
        self.w, self.b = w, b


MADE = [Layer(W, B), *(make(W, B) for make in MAKERS)]


def loss(p):
    return np.sum(p.w**2) * p.b


@pytest.mark.parametrize("p", MADE, ids=lambda p: type(p).__name__)
def test_derivatives_are_objects_of_the_class(p):
    bar = grad(loss)(p)
    assert type(bar) is type(p)
    np.testing.assert_array_equal(p.w, W)
    second = hessian(loss)(p)
    np.testing.assert_allclose(second.w.b, 2 * W)


def test_a_class_that_is_not_marked_is_told_how():
    with pytest.raises(InputError) as caught:
        grad(loss)(Unmarked(W, B))
    assert "@chainrules_tape.container" in caught.value.instead
    assert "Unmarked" in caught.value.instead


class Frame:
    """Stands for a labelled array of another library: it has values, and computes with labels."""

    def __init__(self, values, dtype="float64"):
        self._values, self.dtype, self.shape = values, np.dtype(dtype), values.shape

    @property
    def values(self):
        return self._values

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __mul__(self, other):
        return NotImplemented


@pytest.mark.parametrize(
    "transform",
    [lambda f, x: grad(f)(x), lambda f, x: jvp(f, (x,), (x,)), lambda f, x: hessian(f)(x)],
)
def test_a_labelled_array_as_an_argument_is_refused_with_the_word_values(transform):
    with pytest.raises(InputError) as caught:
        transform(lambda x: np.sum(x * 2.0), Frame(W))
    assert ".values" in caught.value.instead


@pytest.mark.parametrize(
    "operation", [lambda x, c: x * c, lambda x, c: c * x, lambda x, c: np.multiply(c, x)]
)
def test_a_labelled_array_beside_a_traced_one_is_refused_with_the_word_values(operation):
    for trace in (lambda f: grad(f)(W), lambda f: jvp(f, (W,), (W,))):
        with pytest.raises((ChainRulesError, TypeError)) as caught:
            trace(lambda x: np.sum(operation(x, Frame(W))))
        assert ".values" in "".join([str(caught.value), *getattr(caught.value, "__notes__", ())])


@pytest.mark.parametrize("name", ["Series", "DataFrame"])
def test_pandas_as_an_argument(name):
    labelled = getattr(pytest.importorskip("pandas"), name)(np.ones(2))
    with pytest.raises(InputError, match=r"\.values"):
        grad(lambda x: np.sum(x * 2.0))(labelled)


class Around(Frame):
    """Stands for an array with labels that keeps what it is given, as those of xarray do."""

    @property
    def data(self):
        return self._values

    @property
    def values(self):
        return np.asarray(self._values)


RETURNING = {
    "grad": lambda f: grad(f)(2.0),
    "aux": lambda f: grad(lambda x: (x * x, f(x)), has_aux=True)(2.0),
    "in a container": lambda f: vjp(lambda x: {"y": x, "labelled": f(x)}, 2.0),
    "jvp": lambda f: jvp(f, (2.0,), (1.0,)),
}


@pytest.mark.parametrize("call", RETURNING.values(), ids=RETURNING)
def test_a_labelled_array_of_traced_values_is_no_result(call):
    """Else it would be a constant, of gradient zero, that holds on to handles."""

    for labelled in (lambda x: Around(x * 3.0), lambda x: Frame(np.fromiter([x, None], object))):
        with pytest.raises(OutputError) as caught:
            call(labelled)
        assert "labels" in caught.value.instead


def test_a_labelled_constant_may_be_returned_beside_the_result():
    constant = Around(W)
    assert grad(lambda x: (x * x, constant), has_aux=True)(2.0) == (4.0, constant)
    assert jvp(lambda x: (x * x, Frame(W)), (2.0,), (1.0,))[1][0] == 4.0


# --- Derivatives as decorators of methods ---


class Spring:
    __slots__ = ("k",)

    def __init__(self, k):
        self.k = k

    @partial(grad, argnums="x")
    def by_name(self, x):
        return self.k * x**2

    @grad
    def with_default(self, x=2.0):
        return self.k * x**2

    @value_and_grad
    def with_value(self, x):
        return self.k * x**2

    @jacobian
    def matrix(self, x):
        return self.k * x**2

    @hessian
    def curvature(self, x):
        return self.k * x**3

    @vmap
    def in_lanes(self, x):
        return self.k * x**2

    @as_primitive
    def program(self, x):
        return self.k * x**2

    @classmethod
    @grad
    def of_the_class(cls, x):
        return 3.0 * x**2

    @staticmethod
    @grad
    def static(x):
        return 3.0 * x**2


class Inherited(Spring):
    __slots__ = ()


METHODS = {
    "by_name": 12.0,
    "with_default": 12.0,
    "with_value": (12.0, 12.0),
    "matrix": 12.0,
    "curvature": 36.0,
    "program": 12.0,
    "static": 12.0,
}


@pytest.mark.parametrize("cls", [Spring, Inherited])
@pytest.mark.parametrize("name", METHODS)
def test_a_derivative_decorates_a_method(cls, name):
    spring = cls(3.0)
    assert getattr(spring, name)(2.0) == METHODS[name]
    assert getattr(cls(0.0), name)(2.0) != METHODS[name] or name == "static"


@pytest.mark.parametrize("cls", [Spring, Inherited])
def test_a_derivative_under_a_class_method(cls):
    """Since Python 3.13 it is given the class as an argument."""
    if sys.version_info < (3, 13):
        assert cls.of_the_class(2.0) == cls(0.0).of_the_class(2.0) == 12.0
    else:
        with pytest.raises(InputError, match=r"grad\(cls\.method\)"):
            cls.of_the_class(2.0)


def test_lanes_decorate_a_method():
    assert Spring(3.0).in_lanes(np.array([1.0, 2.0])).tolist() == [3.0, 12.0]
    assert grad(lambda k: Spring(k).program(2.0))(3.0) == 4.0
    assert repr(Spring(3.0).by_name).startswith("grad(")
