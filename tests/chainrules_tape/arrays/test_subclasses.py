"""Classes and attributes of results and gradients of subclasses of NumPy's arrays.

Programs of such arrays are cells of `product.converting`.
"""

import copy

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import (
    compiled,
    grad,
    hessian,
    jacobian,
    jvp,
    value_and_grad,
    vjp,
    vmap,
)
from chainrules_tape.refusals.errors import InputError
from stand_ins.fields import Field, X, field


class Slotted(np.ndarray):
    """An array with a slot."""

    __slots__ = ("mark",)

    def __array_finalize__(self, other):
        self.mark = getattr(other, "mark", 2.0)


def test_gradients_have_the_class_and_its_attributes():
    x = field()
    for f in (np.sum, lambda x: np.sum(x * x), lambda x: x[0] * 2.0, lambda x: 3.0 * np.sum(X)):
        gradients = [grad(f)(x), value_and_grad(f)(x)[1], vjp(f, x)[1](1.0)[0]]
        gradients.append(grad(lambda x, f=f: np.sum(grad(f)(x) ** 2))(x))
        run = compiled(grad(f))
        gradients.append([run(x), run(x), run(x)][-1])
        for gradient in gradients:
            assert type(gradient) is Field
            assert (gradient.name, gradient.spacing) == ("height", 0.5)
            assert not np.shares_memory(gradient, x)


def test_values_and_tangents_have_the_class_that_numpy_gives_them():
    x = field()
    for value in (*jvp(np.sin, (x,), (X,)), vjp(np.sin, x)[0], vmap(np.sin)(x)):
        assert (type(value), value.name) == (Field, "height")
    assert type(jvp(lambda x: x.view(np.ndarray), (x,), (x,))[1]) is np.ndarray
    assert type(jacobian(np.sin)(x)) is np.ndarray
    assert type(hessian(np.sum)(x)) is np.ndarray


def test_gradients_of_plain_arrays_are_plain_whatever_stands_beside_them():
    for f in (lambda x: np.sum(x * field()), lambda x: np.sum(x.view(Field) ** 2)):
        assert type(grad(f)(X)) is np.ndarray
        assert type(grad(lambda x, f=f: np.sum(grad(f)(x) ** 2 * x))(X)) is np.ndarray
        assert type(vmap(grad(f))(np.stack([X, X]))) is np.ndarray


SAME_CLASS = {
    "copy": lambda x, xp: x.copy(),
    "copied": lambda x, xp: copy.copy(x),
    "copied deeply": lambda x, xp: copy.deepcopy(x),
    "numpy.copy": lambda x, xp: np.copy(x),
    "asarray": lambda x, xp: xp.asarray(x),
    "asanyarray": lambda x, xp: xp.asanyarray(x),
    "array": lambda x, xp: xp.array(x),
    "require": lambda x, xp: xp.require(x, float, "C"),
    "view": lambda x, xp: x.view(np.ndarray),
    "entries": lambda x, xp: x[1:],
    "method": lambda x, xp: x.cumsum(),
    "function": lambda x, xp: np.where(x > 0.0, x, 1.0),
    "product": lambda x, xp: np.ones((3, 3)) @ x,
    "comparison": lambda x, xp: x > 0.5,
    "joined": lambda x, xp: np.concatenate([x, x]),
}


@pytest.mark.parametrize("name", SAME_CLASS)
def test_results_have_the_class_that_numpy_gives_them(name):
    make, seen = SAME_CLASS[name], []

    def f(x):
        seen.append(make(x, tnp))
        return np.sum(x)

    expected = make(field(), np)
    for differentiate in (grad(f), lambda x: jvp(f, (x,), (X,)), lambda x: vmap(f)(x[None])):
        differentiate(field())
        assert seen.pop().__class__ is type(expected)


class Valued(np.ndarray):
    """An array whose numbers have another name, too."""

    @property
    def value(self):
        return self.view(np.ndarray)


def test_attributes_that_traced_values_have_themselves_are_refused():
    x = field()
    x.unit = "m"
    for call in (
        lambda: grad(lambda x: np.sum(x.value))(X.view(Valued)),
        lambda: jvp(lambda x: x.value, (X.view(Valued),), (X,)),
        lambda: vmap(lambda x: x.value)(X.view(Valued)),
        lambda: grad(lambda x: np.sum(x.view(Valued).value))(X),
        lambda: grad(np.sum)(x),
    ):
        with pytest.raises(InputError, match=r"with the attribute (value|unit)"):
            call()


def test_slots_are_attributes():
    x = X.view(Slotted)
    x.mark = 3.0
    np.testing.assert_allclose(grad(lambda x: np.sum(x * x) * (x + 1).mark)(x), 6.0 * X)


def test_what_is_absent_is_an_attribute_error_that_names_the_class():
    with pytest.raises(AttributeError, match=r"'Slotted' object has no attribute 'grid'"):
        grad(lambda x: np.sum(x) * x.grid)(X.view(Slotted))
    assert (
        grad(lambda x: np.sum(x) * getattr(x, "grid", 2.0))(X.view(Slotted)).tolist() == [2.0] * 3
    )


def test_an_array_that_was_written_to_has_no_class_until_it_is_copied():
    def f(x):
        y = x * 1.0
        y[0] = 0.0
        with pytest.raises(AttributeError):
            assert y.name
        return np.sum(y.view(Field))

    with pytest.raises(InputError, match=r"x\.copy\(\)\.view\(Field\)"):
        grad(f)(field())


def test_arguments_that_the_caller_overwrites():
    x = field()
    _, pull = vjp(lambda x: np.sum(x**2), x)
    y = vjp(lambda x: x, x)[0]
    x[:] = 0.0
    np.testing.assert_allclose(pull(1.0)[0], 2 * X)
    np.testing.assert_allclose(y, X)
