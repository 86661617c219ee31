"""Hooks for objects of other libraries, with a guest of the tests' own."""

import numpy as np
import pytest

from chainrules_tape import grad, jvp
from chainrules_tape.core import guests
from chainrules_tape.core.levels import open_levels

X = np.array([0.3, 0.7, 1.1])
VALUES = np.array([1.0, 2.0, 3.0])


class Held:
    """An object with an array in it, which no rule knows."""

    __array_ufunc__ = None

    def __init__(self, array):
        self.array = array


class Later(Held):
    """One of a subclass."""


@pytest.fixture(autouse=True)
def only_these(monkeypatch):
    grad(np.sum)(X)  # those of libraries that wait for a first derivative are there for good
    monkeypatch.setattr(guests, "_answers", guests.ByClass([]))
    monkeypatch.setattr(guests, "_arrays_in", guests.ByClass([]))
    before = [*guests.gradient_changes]
    yield
    guests.gradient_changes[:] = before


@pytest.mark.parametrize("cls", [Held, Later])
def test_a_guest_computes_operations_in_place_of_the_tape(cls):
    asked = []

    def compute(function, args, options):
        asked.append(function)
        return args[0] * 10.0 if function is np.dot else NotImplemented

    guests.answer_for(Held, compute)
    assert guests.answer_of(cls) is compute
    assert guests.answer_of(dict) is None
    np.testing.assert_array_equal(grad(lambda x: np.sum(np.dot(x, cls(None))))(X), [10.0] * 3)
    with pytest.raises(Exception, match=cls.__name__):  # as without an answer
        grad(lambda x: np.sum(np.inner(x, cls(None))))(X)
    assert asked == [np.dot, np.inner]


def test_a_guest_comes_with_all_operands_and_an_option_without():
    found = []

    def in_held(primal, x, operands):
        found.append(len(operands))
        return x.array

    guests.become_arrays(lambda cls: cls is Held, in_held)
    grad(lambda x: np.dot(x, Held(VALUES)) + np.sum(x, where=Held(VALUES > 1.0)))(X)
    assert found == [2, 0]


def test_methods_of_a_guest_last_as_long_as_the_level():
    def with_methods(f):
        def g(x):
            guests.give_methods(
                x.level, {"std": lambda x: np.sum(5.0 * x), "abs": lambda x: np.abs(x)}
            )
            return f(x)

        return g

    np.testing.assert_array_equal(grad(with_methods(lambda x: (2 * x).std()))(X), [10.0] * 3)
    np.testing.assert_array_equal(grad(with_methods(lambda x: x.abs().sum()))(-X), [-1.0] * 3)
    assert grad(lambda x: x.std())(X).sum() == pytest.approx(0.0)  # of another level
    with pytest.raises(AttributeError, match="abs"):
        grad(lambda x: x.abs().sum())(X)

    def nested(x):
        guests.give_methods(x.level, {})
        assert len(guests._methods) == len(open_levels) == 1  # those of closed levels are gone
        return x.sum()

    grad(nested)(X)


def test_gradients_are_changed_before_callers_get_them():
    def doubled(bars, y):
        assert y == pytest.approx(X @ VALUES)
        return tuple([2 * bar for bar in bars])

    guests.on_gradients(doubled)
    guests.on_gradients(doubled)  # once
    np.testing.assert_array_equal(grad(lambda x: np.dot(x, VALUES))(X), 2 * VALUES)
    found = grad(lambda x: (np.dot(x, VALUES), "beside it"), has_aux=True)(X)
    np.testing.assert_array_equal(found[0], 2 * VALUES)


class Labelled:
    """An array with labels, told as those of pandas and xarray are."""

    def __init__(self, values):
        self._values = np.asarray(values)

    @property
    def values(self):
        return self._values

    def __array__(self, *args, **options):
        return np.asarray(self._values, *args, **options)


@pytest.mark.parametrize("index", [[True, False, True], [2, 0, 2]])
def test_an_index_with_labels_is_taken_by_its_values(index):
    x = np.array([1.0, 2.0, 3.0])
    found = grad(lambda x: np.sum(x[Labelled(index)] ** 2))(x)
    assert np.array_equal(found, grad(lambda x: np.sum(x[np.asarray(index)] ** 2))(x))
    y_dot = jvp(lambda x: x[Labelled(index)], (x,), (x,))[1]
    assert np.array_equal(y_dot, x[np.asarray(index)])
