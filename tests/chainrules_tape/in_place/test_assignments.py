"""Augmented assignment to traced arrays: NumPy's result, or an error; never the value of before."""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_tape import (
    InPlaceError,
    RecomputationError,
    checkpoint,
    grad,
    hvp,
    jacobian,
    jvp,
    stop_gradient,
    vjp,
)

X = np.array([0.5, -1.5, 2.0])
M = np.arange(9.0).reshape(3, 3) + np.eye(3)


def every_operator(x):
    y = x + 0.0
    y += 1.0
    y -= x * x
    y *= x
    y /= 3.0
    y **= 2
    y @= M
    return y


def loop(x):
    total = np.zeros(3) * x
    for k in range(4):
        total += np.sin(k * x)
        total *= x
    return total


def two_names(x):
    y = 2.0 * x
    same = y
    y += x * x
    return same * y


def entry_of_a_dict(x):
    state = {"a": x * 2.0}
    state["a"] += x
    return state["a"] ** 2


def written_by_a_function(x):
    def add_to(buffer):
        buffer += x * x

    y = x * 3.0
    add_to(y)
    return y


def what_a_pullback_needs(x):
    y = x * 1.0
    square = y * y
    y += 5.0
    return square * y


def itself_reversed(x):
    y = x * x
    y += y[::-1]
    return y


def halves(x):
    both = np.concatenate([x, 2.0 * x])
    one, other = both[:3], both[3:]
    one += x
    return one * other


def a_view_taken_afterwards(x):
    y = x * 1.0
    y += x
    return y[1:] * y.T[:2]


def an_argument(x):
    x += 1.0
    return x * x


def a_row_broadcast(x):
    y = np.outer(x, x)
    y += x
    return y


def a_number_broadcast(x):
    y = np.outer(x, x)
    y -= x[0]
    return y


def view_before(x):
    y = x * 2.0
    view = y[1:]
    y += 1.0
    return view


def through_a_view(x):
    y = x * 2.0
    view = y[1:]
    view += 1.0
    return y


def through_a_transpose(x):
    y = np.outer(x, x)
    turned = y.T
    turned *= 2.0
    return np.sum(y)


def in_a_list(x):
    y = np.outer(x, x)
    row = y[0]
    y += 1.0
    return np.stack([x, row])


def the_argument_by_another_name(x):
    view = x[:2]
    x += 1.0
    return np.sum(view)


def another_shape(x):
    y = np.outer(x, x)
    row = y[0]
    y.shape = 9
    y[1:3] *= x[0]
    y.shape = (3, -1)
    return row * (y @ x)


def another_shape_of_a_part(x):
    y = np.outer(x, x)
    part = y[1:]
    part.shape = (3, 2)
    part[0] = x[:2]
    return y


PROGRAMS = [
    *(every_operator, loop, two_names, entry_of_a_dict),
    *(written_by_a_function, what_a_pullback_needs, itself_reversed),
    *(view_before, through_a_view, through_a_transpose, in_a_list, the_argument_by_another_name),
    *(another_shape, another_shape_of_a_part),
    *(halves, a_view_taken_afterwards, an_argument, a_row_broadcast, a_number_broadcast),
]


@pytest.mark.filterwarnings("ignore:Setting the shape")  # NumPy 2.5 would rather not
@pytest.mark.parametrize("f", PROGRAMS)
def test_as_numpy_does_it(f):
    h = 1e-6
    expected = np.stack([(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(3)], axis=-1)
    for mode in ("forward", "reverse"):
        np.testing.assert_allclose(jacobian(f, mode=mode)(X), expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(vjp(f, X)[0], f(X.copy()))
    np.testing.assert_array_equal(jvp(f, (X,), (X,))[0], f(X.copy()))


@pytest.mark.parametrize("f", PROGRAMS)
def test_second_order(f):
    def loss(x):
        return np.sum(np.sin(f(x)))

    h = 1e-5
    expected = (grad(loss)(X + h * X) - grad(loss)(X - h * X)) / (2 * h)
    np.testing.assert_allclose(hvp(loss, X, X), expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(vjp(grad(loss), X)[1](X)[0], expected, rtol=1e-5, atol=1e-5)


def test_a_constant_is_what_the_array_held():
    def f(x):
        y = x * 2.0
        constant = stop_gradient(y)
        y += 1.0
        return x * constant

    y, pullback = vjp(f, X)
    np.testing.assert_array_equal(y, X * 2.0 * X)
    np.testing.assert_array_equal(pullback(np.ones(3))[0], 2.0 * X)


def test_arguments_of_the_caller_stay():
    x = X.copy()
    grad(lambda x: np.sum(an_argument(x)))(x)
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize(
    ("dtype", "other"),
    [(np.float32, np.ones(3)), (np.complex64, np.ones(3)), (np.float64, np.ones(3, int))],
)
def test_the_dtype_stays(dtype, other):
    def f(x):
        y = x * x
        y += other
        assert y.dtype == dtype
        return y

    y, pullback = vjp(f, X.astype(dtype))
    assert y.dtype == dtype
    np.testing.assert_allclose(pullback(np.ones(3, dtype))[0], 2 * X)


def grows(x):
    x += np.ones((2, 3))


def becomes_complex(x):
    x += 1j


@pytest.mark.parametrize("f", [grows, becomes_complex])
def test_what_does_not_fit_into_the_array_raises(f):
    with pytest.raises(InPlaceError) as caught:
        vjp(f, X)
    assert caught.value.value.shape == (3,)


@pytest.mark.parametrize(
    ("shape", "error"),
    [((2, 2), ValueError), ((9,), AttributeError)],
    ids=["another number of entries", "no view of it"],
)
def test_a_shape_that_numpy_does_not_give_in_place(shape, error):
    for make in (lambda x: (x * M).T, lambda x: tnp.array(M).T):
        with pytest.raises(error):
            grad(lambda x, make=make: setattr(make(x), "shape", shape))(X)
    with pytest.raises(InPlaceError, match="reshape"):
        grad(lambda x: setattr(x[0], "shape", (1,)))(X)


def test_inside_a_checkpoint():
    def block(x):
        y = x * x
        y += x
        return y

    np.testing.assert_allclose(grad(lambda x: np.sum(checkpoint(block)(x)))(X), 2 * X + 1)


def augments_its_argument(h):
    h += 1.0
    return h * h


def test_a_function_that_is_called_for_its_derivative_leaves_its_arguments_alone():
    """Forward, ``y`` outside kept its old value, where NumPy's has the new one."""

    def f(x):
        y = np.sin(x)
        return checkpoint(augments_its_argument)(y) + y

    with pytest.raises(InPlaceError):
        jvp(f, (X,), (X,))
    with pytest.raises((InPlaceError, RecomputationError)):
        vjp(f, X)[1](X)
