"""Subclasses of NumPy's arrays within differentiated functions: classes, attributes, methods, memory.

Expected values are differences of the same program with the same class.
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

X = np.array([0.31, 0.87, 0.52])


class Field(np.ndarray):
    """An array with a name and a spacing, and with methods."""

    factor = 5.0

    def __new__(cls, values, name="", spacing=1.0):
        made = values.view(cls)
        made.name, made._spacing = name, spacing
        return made

    def __array_finalize__(self, other):
        self.name = getattr(other, "name", None)
        self._spacing = getattr(other, "_spacing", 1.0)

    @property
    def first(self):
        return self[0]

    @property
    def spacing(self):
        return self._spacing

    @spacing.setter
    def spacing(self, spacing):
        self._spacing = spacing

    def slope(self):
        return (self[1:] - self[:-1]) / self.spacing

    @classmethod
    def ones(cls):
        return cls(np.ones(3), "ones")

    @staticmethod
    def three():
        return 3.0

    def __getattr__(self, name):
        if name.startswith("entry_"):
            return self[int(name[6:])]
        raise AttributeError(name)


class Slotted(np.ndarray):
    """An array with a slot."""

    __slots__ = ("mark",)

    def __array_finalize__(self, other):
        self.mark = getattr(other, "mark", 2.0)


def field():
    return Field(X.copy(), "height", 0.5)


def with_property_set(x):
    y = x * x
    y.spacing = 4.0
    z = np.sin(y)
    return np.sum(z.slope() * z.spacing) + z.spacing


def with_traced_attribute(x):
    y = x * x
    y.total = np.sum(x)
    return np.sum(y) * y.total


def with_numbers_alone(x):
    y = x.view(np.ndarray)
    return np.sum(y * y) if not isinstance(y, Field) else 0.0 * np.sum(y)


def by_name(x):
    return np.sum(x * x) if (2.0 * x).name == "height" else np.sum(x)


def by_class(x):
    return np.sum(x * x) if isinstance(np.exp(x), Field) else np.sum(x)


def written(x):
    spacing = x.spacing
    y = x * x
    v = y[1:]
    v *= 3.0
    y[0] = x[1]
    z = Field(y.copy(), "again", spacing)
    return np.sum(z.slope() * v)


def written_argument(x):
    v = x.view(np.ndarray)
    x[0] = x[1] * x[2]
    return np.sum(v * x)


def written_beneath(x):
    y = x * 1.0
    v = y[1:].view(Field).view(np.ndarray)[1:]
    y[:] = 5.0
    return np.sum(v * x[2:])


def made_inside(x):
    y = Field(np.cos(x.view(np.ndarray)), "made", 0.1)
    return np.sum(y.slope() ** 2) * y.first if isinstance(y, Field) else np.sum(x)


PROGRAMS = {
    "method": lambda x: np.sum(x.slope() ** 2),
    "method of a result": lambda x: np.sum(np.sin(x * x).slope() ** 2),
    "property": lambda x: x.first * x[1],
    "what the class computes": lambda x: x.entry_1 * x.entry_2,
    "of the class": lambda x: np.sum(x * x.ones()) * x.factor * x.three() * x[0],
    "a constant": lambda x: np.sum((X * field()).slope() * (x * field()).slope()),
    "property set": with_property_set,
    "traced attribute": with_traced_attribute,
    "numbers alone": with_numbers_alone,
    "by name": by_name,
    "by class": by_class,
    "written": written,
    "written argument": written_argument,
    "written beneath": written_beneath,
    "made inside": made_inside,
}


def by_differences(f, x, step=1e-6):
    """Differences of a program, at arrays of the class of the point."""
    found = []
    for position in range(x.size):
        above, below = x.copy(), x.copy()
        above[position] += step
        below[position] -= step
        found.append((float(f(above)) - float(f(below))) / (2 * step))
    return np.array(found)


def thrice(run, x):
    return [run(x), run(x), run(x)][-1]


WAYS = {
    "pullback": lambda f, x: vjp(f, x)[1](1.0)[0],
    "forward": lambda f, x: [jvp(f, (x,), (x_dot,))[1] for x_dot in np.eye(3)],
    "second": lambda f, x: jvp(lambda x: grad(f)(x), (x,), (0 * X,))[0],
    "lanes": lambda f, x: vmap(grad(f))(Field(np.stack([x, x]), x.name, x.spacing))[1],
    "compiled": lambda f, x: thrice(compiled(grad(f)), x),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_with_a_class(name, way):
    f = PROGRAMS[name]
    expected = by_differences(f, field())
    found = WAYS[way](f, field())
    np.testing.assert_allclose(np.array(found, float), expected, rtol=1e-6, atol=1e-8)


def test_gradients_have_the_class_and_its_attributes():
    x = field()
    for f in (np.sum, lambda x: np.sum(x * x), lambda x: x[0] * 2.0, lambda x: 3.0 * np.sum(X)):
        gradients = [grad(f)(x), value_and_grad(f)(x)[1], vjp(f, x)[1](1.0)[0]]
        gradients.append(grad(lambda x, f=f: np.sum(grad(f)(x) ** 2))(x))
        gradients.append(thrice(compiled(grad(f)), x))
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
