"""Traced values as array libraries: rules run on them, and may fill the buffers they make."""

import numpy as np
import pytest

from chainrules_py import Array, default_rules, primitive
from chainrules_py.values.arrays import ArrayLibrary, library_of, library_of_types
from chainrules_tape import grad, hvp, jvp
from chainrules_tape.arrays.handles import DualArray, StoredArray, TapeArray
from chainrules_tape.core import duals, tape
from chainrules_tape.refusals.handles import plain
from chainrules_tape.xp.namespace import namespace_over
from stand_ins.stand_in import DeviceArray, library

X = np.array([1.0, 2.0, 3.0])
W = np.arange(1.0, 7.0).reshape(2, 3)
namespace = library_of(TapeArray).namespace


def test_handles_over_numpys_arrays_are_one_library():
    assert {library_of(cls).name for cls in (TapeArray, DualArray, StoredArray)} == {"tape"}
    assert namespace.sin is np.sin
    assert namespace.linalg is np.linalg


def set_slice(x):
    buffer = namespace.zeros((2, 3))
    buffer[0] = x
    buffer[1, 1:] = x[0] * 2
    return buffer


def set_repeated(x):
    buffer = namespace.ones((2, 3))
    buffer[1, [0, 2, 0]] = x  # the last write to entry 0 counts
    return buffer


def set_mask(x):
    buffer = namespace.zeros((2, 3))
    buffer[W > 4] = x[:2]
    return buffer


def add_repeated(x):
    buffer = namespace.zeros(3)
    np.add.at(buffer, np.array([1, 1, 0]), x)
    return np.stack([buffer, buffer * 2])


def augment(x):
    buffer = namespace.full((2, 3), 5.0)
    buffer[:, 1] += x[1]
    buffer[0] = buffer[1]
    return buffer


def out(x):
    buffer = namespace.empty((2, 3))
    np.multiply(W, x, out=buffer)
    return buffer


FILLS = [set_slice, set_repeated, set_mask, add_repeated, augment, out]


@pytest.mark.parametrize("fill", FILLS)
def test_buffers_are_filled_as_numpy_fills_them(fill):
    def f(x):
        return np.sum(np.sin(fill(x)) * W)

    step = 1e-6
    expected = np.array([(f(X + step * e) - f(X - step * e)) / (2 * step) for e in np.eye(3)])
    np.testing.assert_allclose(grad(f)(X), expected, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(jvp(f, (X,), (X,))[1], expected @ X, rtol=1e-7)


@pytest.mark.parametrize("fill", FILLS)
def test_a_buffer_of_constants_holds_what_numpys_array_holds(fill):
    np.testing.assert_array_equal(fill(X), by_numpy(fill))


def test_a_part_of_a_buffer_is_a_view_of_it():
    def f(x):
        buffer = namespace.zeros((2, 3))
        buffer[0][1:] = x[1:]
        return np.sum(buffer * buffer)

    np.testing.assert_array_equal(grad(f)(X), [0.0, 4.0, 6.0])


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


def by_numpy(fill):
    """What a function computes with NumPy in the place of the namespace."""
    return type(fill)(fill.__code__, {**fill.__globals__, "namespace": np})(X)


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
    step = 1e-6
    expected = (first(X + step) - first(X - step)) / (2 * step)
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


def test_second_order_of_a_rule_that_makes_constants():
    def loss(x):
        return np.sum(np.fft.irfft(np.fft.rfft(x) ** 2, 3) ** 2)

    step = 1e-6
    expected = (grad(loss)(X + step * X[::-1]) - grad(loss)(X - step * X[::-1])) / (2 * step)
    np.testing.assert_allclose(hvp(loss, X, X[::-1]), expected, rtol=1e-6)


# Other libraries beneath


def test_the_class_of_a_handle_says_which_library_is_beneath_all_levels():
    seen = []

    def loss(x):
        seen.append(type(x))
        return np.sum(x * x)

    grad(lambda x: np.sum(grad(loss)(x)))(DeviceArray(X.copy()))
    jvp(grad(loss), (DeviceArray(X.copy()),), (DeviceArray(X.copy()),))
    assert [cls.beneath for cls in seen] == [library.name] * 2
    assert [library_of(cls).name for cls in seen] == [f"tape over {library.name}"] * 2
    assert all(cls in tape.HANDLES for cls in seen)


def test_handles_differ_by_their_library_in_nothing_else():
    over = duals.HANDLE_OF.over(library.name)
    assert issubclass(over, DualArray)
    assert (over.__qualname__, over.__module__) == (DualArray.__qualname__, DualArray.__module__)
    assert over.__slots__ == DualArray.__slots__
    assert over.__basicsize__ == DualArray.__basicsize__


@pytest.mark.parametrize("others", [(DeviceArray,), (DeviceArray, np.ndarray)])
def test_numpys_traced_arrays_beside_those_of_a_device_are_computed_there(others):
    for cls in (TapeArray, DualArray):
        for types in ((cls, *others), (*others, cls)):
            assert library_of_types(types).name == f"tape over {library.name}"
    assert library_of_types((TapeArray, np.ndarray, float)).name == "tape"


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
    xp = namespace_over(ArrayLibrary("elsewhere", Elsewhere(called), (), mutable=False), id)
    k = xp.arange(4)
    xp.reshape(xp.where((k > 0) & (2 * k < 6), xp.asarray(2.0), 1), (2, 2))
    xp.exp(k)
    xp.add.reduce(k)
    xp.fft.fftfreq(3)
    assert called == ["arange", "asarray", "where", "reshape", "exp", "fft.fftfreq"]


def test_functions_of_traced_values_are_operations():
    called = []
    xp = namespace_over(ArrayLibrary("elsewhere", Elsewhere(called), (), mutable=False), id)

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

    assert tape.HANDLE_OF[LateArray] is TapeArray
    late = ArrayLibrary(name="late arrays", namespace=np, array_types=(LateArray,), priority=3)
    register_library(late)
    assert tape.HANDLE_OF[LateArray].beneath == "late arrays"
    assert library_of(tape.HANDLE_OF[LateArray]).priority == library_of(TapeArray).priority + 3


# Arrays of a device that a rule fills


def set_and_augmented(xp, x):
    buffer = xp.zeros((2, 3))
    buffer[0] = x
    buffer[1, 1:] = x[1:] * 2
    buffer[0] = buffer[0] + x * x
    buffer *= 2.0
    return buffer


def added_at(xp, x):
    buffer = xp.zeros(3)
    xp.add.at(buffer, xp.arange(3), x * x)
    return buffer + xp.ones(3) * x


def never_written(xp, x):
    return xp.concatenate([xp.full(2, 3.0), x * x]) * xp.ones(5)


@pytest.mark.parametrize("fill", [set_and_augmented, added_at, never_written])
def test_arrays_of_a_device_are_filled_as_numpys_are(fill):
    def loss(xp, weights):
        return lambda x: np.sum(np.sin(fill(xp, x)) ** 2) * weights

    on_device = library_of(tape.HANDLE_OF.over(library.name)).namespace
    x = DeviceArray(X.copy())
    wanted, found = grad(loss(namespace, 2.0)), grad(loss(on_device, 2.0))
    np.testing.assert_allclose(found(x).host, wanted(X), rtol=1e-12)
    pushed = jvp(loss(on_device, 2.0), (x,), (x,))[1]
    np.testing.assert_allclose(pushed.host, jvp(loss(namespace, 2.0), (X,), (X,))[1], rtol=1e-12)


def test_what_is_read_before_a_write_is_what_was_there():
    on_device = library_of(tape.HANDLE_OF.over(library.name)).namespace
    buffer = on_device.zeros(3)
    before = buffer + 1.0
    buffer[1] = 5.0
    np.testing.assert_array_equal(before.host, [1.0, 1.0, 1.0])
    np.testing.assert_array_equal((buffer * 2.0).host, [0.0, 10.0, 0.0])
