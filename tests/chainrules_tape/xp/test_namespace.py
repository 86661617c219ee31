"""Traced values as array libraries: rules run on them, and may fill the buffers they make."""

import numpy as np
import pytest

from chainrules_py import Array, default_rules, primitive
from chainrules_py.values.arrays import ArrayLibrary, library_of
from chainrules_tape import grad, jvp
from chainrules_tape.arrays.handles import DualArray, StoredArray, TapeArray
from chainrules_tape.core import tape
from chainrules_tape.refusals.handles import plain
from chainrules_tape.xp.namespace import namespace_over
from slopes import quotients

X = np.array([1.0, 2.0, 3.0])
W = np.arange(1.0, 7.0).reshape(2, 3)
namespace = library_of(TapeArray).namespace


def test_handles_over_numpys_arrays_are_one_library():
    assert {library_of(cls).name for cls in (TapeArray, DualArray, StoredArray)} == {"tape"}
    assert namespace.sin is np.sin
    assert namespace.linalg.inv is np.linalg.inv


@pytest.mark.parametrize(
    "made", [namespace.zeros(2), namespace.full(2, 1.0), namespace.ones_like(X)]
)
def test_what_makes_arrays_of_real_numbers_makes_buffers(made):
    assert type(made) is StoredArray
    assert type(plain(made)) is np.ndarray


@pytest.mark.parametrize(
    "made", [namespace.arange(3), namespace.eye(2), namespace.zeros(2, bool), namespace.full(2, -1)]
)
def test_arrays_that_no_rule_writes_derivatives_into_are_numpys(made):
    assert type(made) is np.ndarray


def test_a_rule_that_fills_a_buffer_has_a_second_derivative():
    @primitive
    def reverse_cumulative(x):
        return np.cumsum(x[::-1])[::-1]

    @default_rules.rrule.register(reverse_cumulative)
    def reverse_cumulative_rrule(x: Array, *, xp):
        squares = x * x

        def reverse_cumulative_pullback(y_bar):
            x_bar = xp.zeros(x.shape, x.dtype)
            for i in range(x.shape[0]):
                x_bar[i] = np.sum(y_bar[: i + 1]) * squares[i] / squares[i]
            return (x_bar,)

        return np.cumsum(x[::-1])[::-1], reverse_cumulative_pullback

    def f(x):
        return np.sum(reverse_cumulative(x) ** 3)

    first = grad(f)
    y = np.cumsum(X[::-1])[::-1]
    np.testing.assert_allclose(first(X), np.cumsum(3 * y**2))
    expected = quotients(lambda t: first(X + t), 0.0)
    np.testing.assert_allclose(jvp(first, (X,), (np.ones(3),))[1], expected, rtol=1e-7)
    np.testing.assert_allclose(grad(lambda x: np.sum(first(x)))(X), expected, rtol=1e-7)


def test_converters_keep_what_is_traced():
    def f(x):
        assert namespace.asarray(x) is x
        assert namespace.asarray([x, x]).shape == (2, 3)
        assert namespace.asarray(x, "float32").dtype == np.float32
        assert type(namespace.asarray([1.0])) is np.ndarray
        return np.sum(namespace.asarray([x, x]))

    np.testing.assert_array_equal(grad(f)(X), [2.0, 2.0, 2.0])


# Other libraries beneath


class Elsewhere:
    """A namespace that writes down what it computes."""

    def __init__(self, called, module=np, path=""):
        self.called, self.module, self.path = called, module, path

    def __getattr__(self, name):
        found = getattr(self.module, name)
        if not callable(found):
            return Elsewhere(self.called, found, f"{name}.") if name == "fft" else found

        def compute(*args, **options):
            self.called.append(self.path + name)
            return found(*args, **options)

        return compute


def test_functions_of_constants_alone_are_those_of_the_library_beneath():
    called = []
    xp = namespace_over(ArrayLibrary("elsewhere", Elsewhere(called), (), mutable=False))
    k = xp.arange(4)
    xp.reshape(xp.where((k > 0) & (2 * k < 6), xp.asarray(2.0), 1), (2, 2))
    xp.exp(k)
    xp.add.reduce(k)
    xp.fft.fftfreq(3)
    assert called == ["arange", "asarray", "where", "reshape", "exp", "fft.fftfreq"]


def test_functions_of_traced_values_are_operations():
    called = []
    xp = namespace_over(ArrayLibrary("elsewhere", Elsewhere(called), (), mutable=False))

    def f(x):
        y = xp.matmul(xp.asarray([x, xp.sin(x)]), x)
        return xp.sum(xp.where(W[0] > 1, xp.add.reduce(y), xp.fft.fft(x).real))

    wanted = grad(lambda x: f_of_numpy(x))(X)
    np.testing.assert_allclose(grad(f)(X), wanted)
    assert not called


def f_of_numpy(x):
    y = np.matmul(np.stack([x, np.sin(x)]), x)
    return np.sum(np.where(W[0] > 1, np.sum(y), np.fft.fft(x).real))


def test_a_library_that_joins_later_has_handles_of_its_own():
    from chainrules_py import register_library

    class LateArray(np.ndarray):
        pass

    assert issubclass(tape.HANDLE_OF[LateArray], TapeArray)
    late = ArrayLibrary(name="late arrays", namespace=np, array_types=(LateArray,), priority=3)
    register_library(late)
    assert tape.HANDLE_OF[LateArray].beneath == "late arrays"
    assert library_of(tape.HANDLE_OF[LateArray]).priority == library_of(TapeArray).priority + 3
