"""Constants that each library makes for itself: recipes, of which nothing is made before somebody
needs it.
"""

import numpy as np
import pytest

from chainrules_py.values.arrays import ArrayLibrary, numpy_library
from chainrules_tape import grad, hvp
from chainrules_tape.xp.namespace import namespace
from chainrules_tape.xp.recipes import TracedConstant, library_beneath, made_by

X = np.array([1.0, 2.0, 3.0])


class Elsewhere:
    """A namespace that writes down what it makes."""

    def __init__(self):
        self.made = []

    def __getattr__(self, name):
        if not hasattr(np, name):
            raise AttributeError(name)

        def make(*args, **options):
            self.made.append(name)
            return getattr(np, name)(*args, **options)

        return make


class ForeignArray(np.ndarray):
    """An array of a library of its own."""


@pytest.fixture
def elsewhere():
    return ArrayLibrary("elsewhere", Elsewhere(), (ForeignArray,))


def weights():
    """As rules of real transforms make them."""
    k = namespace.arange(4)
    paired = (k > 0) & (2 * k < 6)
    return namespace.reshape(namespace.where(paired, namespace.asarray(2.0), 1), (2, 2))


def test_nothing_is_made_by_numpy_for_another_library(elsewhere):
    constant = weights()
    found = made_by(elsewhere, [constant, 5])
    np.testing.assert_array_equal(found[0], [[1.0, 2.0], [2.0, 1.0]])
    assert found[1] == 5
    assert elsewhere.namespace.made.count("arange") == 1  # used twice, made once
    assert constant._made is None


def test_numpys_array_is_made_once():
    constant = weights()
    np.testing.assert_array_equal(constant.value, [[1.0, 2.0], [2.0, 1.0]])
    assert constant.value is constant.value
    assert (constant.shape, constant.dtype, constant.size) == ((2, 2), np.dtype(float), 4)


def test_a_constant_has_no_derivative_to_lose():
    n = namespace.asarray(3)
    assert (int(n), float(n), complex(n), n.item(), [*range(n)]) == (3, 3.0, 3 + 0j, 3, [0, 1, 2])
    np.testing.assert_array_equal(np.arange(6)[namespace.arange(3)], [0, 1, 2])
    np.testing.assert_array_equal(
        np.arange(6.0).reshape(2, 3)[:, namespace.arange(2)], [[0, 1], [3, 4]]
    )


def test_a_written_buffer_is_no_recipe_any_more(elsewhere):
    buffer = namespace.zeros(3)
    before = buffer + 1
    buffer[1] = 5.0
    after = buffer * 2
    np.testing.assert_array_equal(before.value, [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(after, [0.0, 10.0, 0.0])
    assert type(after) is np.ndarray
    np.testing.assert_array_equal(made_by(elsewhere, buffer), [0.0, 5.0, 0.0])
    assert elsewhere.namespace.made == ["asarray"]


def test_the_library_of_what_is_no_constant():
    seen = []

    def f(x):
        seen.append(library_beneath((x, namespace.eye(3), 2.0)))
        return np.sum(x)

    grad(f)(X)
    assert seen == [numpy_library()]
    assert library_beneath((namespace.eye(3), 2.0, np.float64(1))) is None


@pytest.mark.parametrize("name", ["arange", "eye", "identity", "tri", "zeros", "ones"])
def test_what_makes_arrays_of_numbers_makes_constants(name):
    constant = getattr(namespace, name)(3)
    assert isinstance(constant, TracedConstant)
    np.testing.assert_array_equal(constant.value, getattr(np, name)(3))


def test_functions_that_are_not_arrays_of_constants_answer_at_once():
    assert namespace.arange(4).max() == 3
    assert np.nonzero(namespace.arange(3))[0].tolist() == [1, 2]


def test_second_order_of_a_rule_that_makes_constants():
    def loss(x):
        return np.sum(np.fft.irfft(np.fft.rfft(x) ** 2, 3) ** 2)

    step = 1e-6
    expected = (grad(loss)(X + step * X[::-1]) - grad(loss)(X - step * X[::-1])) / (2 * step)
    np.testing.assert_allclose(hvp(loss, X, X[::-1]), expected, rtol=1e-6)
