"""Functions that call a function, on traced values: `map` and `reduce` by Python itself,
`vectorize` by the tape's own.
"""

import functools
import operator

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import ZERO
from chainrules_tape import LostGradientError, checkpoint, grad, hessian, jacobian, jvp, vjp

X, W = np.array([0.5, -1.5, 2.0]), np.array([[0.3, -0.7, 1.1], [0.5, 0.9, -0.2], [1.3, 0.1, 0.4]])


def ramp(x, slope):
    return x**2 if x > 0 else slope * x  # Python's if, on one number


def collatz_like(x):
    while x < 3:
        x = 1.5 * x + 0.5 if x > 0 else -x
    return x


def mapped(f, *args):
    return np.stack(list(map(f, *args)))


# Each is a function of (np, x) of shape (3,), with NumPy's own vectorize for plain values and the
# tape's for traced ones.
PROGRAMS = {
    "map over an array": lambda np, x: np.sum(mapped(np.sin, x)),
    "map over the rows of an array": lambda np, x: np.sum(mapped(np.prod, W * x)),
    "map over a list and a tuple": lambda np, x: np.sum(
        mapped(np.multiply, [x[0], 2.0, x], (x, x, x[1]))[-1]
    ),
    "map, the shortest ends it": lambda np, x: sum(map(operator.mul, x, (3.0, x[0]))),
    "map of a closure": lambda np, x: np.sum(
        mapped(lambda t: t * x[2] + np.sin(x[1]), (1.0, x[0]))
    ),
    "reduce over an array": lambda np, x: functools.reduce(operator.mul, x),
    "reduce over a list, with an initial value": lambda np, x: functools.reduce(
        lambda y, t: np.sin(y) * t, [x[0], x[1]], x[2]
    ),
    "reduce of matrices": lambda np, x: functools.reduce(np.matmul, (W * x, W, W.T * x[0]))[0, 0],
    "reduce of a closure": lambda np, x: functools.reduce(
        lambda y, t: y * x[0] + t, (2.0, x[1], 3.0)
    ),
    "reduce through containers": lambda np, x: functools.reduce(
        lambda s, t: (s[1] * t, s[0] + t), x, (1.0, x[0])
    )[0],
    "map inside reduce": lambda np, x: functools.reduce(
        lambda y, row: y + sum(map(operator.mul, row, x)) ** 2, W, 0.0
    ),
    "vectorize": lambda np, x: np.sum(np.vectorize(ramp)(x, 0.3)),
    "vectorize, broadcasting": lambda np, x: np.sum(np.vectorize(ramp)(W * x[:, None], x) * W),
    "vectorize, a loop": lambda np, x: np.sum(np.vectorize(collatz_like)(x) * X),
    "vectorize, a list": lambda np, x: np.sum(np.vectorize(ramp)([x[0], 3.0, x[2]], x[1])),
    "vectorize, a closure": lambda np, x: np.sum(
        np.vectorize(lambda t: t * x[0] if t > 0 else x[1])(x)
    ),
    "vectorize, a closure alone": lambda np, x: np.sum(
        np.vectorize(lambda t: t * x[0] if t > 0 else x[1])(W)
    ),
    "vectorize, several outputs": lambda np, x: np.sum(
        np.multiply(*np.vectorize(lambda t, s: (t * s, t**2))(x, x[0]))
    ),
    "vectorize, excluded": lambda np, x: np.sum(
        np.vectorize(lambda t, c: t * c[0] + c[1] ** 2, excluded={1})(W, x)
    ),
    "vectorize, keywords": lambda np, x: np.sum(
        np.vectorize(ramp, excluded=["slope"])(x=x, slope=x[1])
    ),
    "vectorize, a signature": lambda np, x: np.sum(
        np.vectorize(np.dot, signature="(n),(n)->()")(W * x, x) ** 2
    ),
    "vectorize, new axes": lambda np, x: np.sum(
        np.vectorize(lambda t: np.stack([t, t * x[0]]), signature="()->(n)")(x) ** 2
    ),
    "vectorize, complex": lambda np, x: np.sum(
        np.abs(np.vectorize(lambda t: t * (x[0] + 1j))(x)) ** 2
    ),
}


def slopes(program, *, h=1e-6):
    return [(program(np, X + h * e) - program(np, X - h * e)) / (2 * h) for e in np.eye(3)]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(program):
    x_bar, x_dot = grad(lambda x: program(tnp, x))(X), np.array([0.4, -0.3, 0.7])
    np.testing.assert_allclose(x_bar, slopes(program), rtol=1e-7, atol=1e-7)
    y, y_dot = jvp(lambda x: program(tnp, x), (X,), (x_dot,))
    np.testing.assert_allclose((y, y_dot), (program(np, X), x_bar @ x_dot), rtol=1e-13)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_second_order(program):
    h = 1e-6
    gradient = grad(lambda x: program(tnp, x))
    expected = [(gradient(X + h * e) - gradient(X - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(
        hessian(lambda x: program(tnp, x))(X), expected, rtol=1e-6, atol=1e-6
    )
    np.testing.assert_allclose(
        jacobian(gradient, mode="reverse")(X), expected, rtol=1e-6, atol=1e-6
    )


def test_vectorize_inside_vectorize_and_checkpoint():
    inner = tnp.vectorize(lambda t, s: t * s if s > 0 else s)
    outer = tnp.vectorize(lambda row: np.sum(inner(row, row[0])), signature="(n)->()")
    gradient = grad(lambda w: np.sum(checkpoint(outer)(w)))(W)
    h, expected = 1e-6, np.zeros_like(W)
    for index in np.ndindex(W.shape):
        step = np.zeros_like(W)
        step[index] = h
        expected[index] = (outer(W + step).sum() - outer(W - step).sum()) / (2 * h)
    np.testing.assert_allclose(gradient, expected, rtol=1e-7, atol=1e-8)


def test_integer_results_are_constants():
    y, pullback = vjp(lambda x: tnp.vectorize(lambda t: (t * t, t > 0, 7))(x), X)
    assert [part.dtype.kind for part in y] == ["f", "b", "i"]
    assert pullback((np.ones(3), ZERO, ZERO))[0].tolist() == (2 * X).tolist()


def test_dtypes_are_numpys():
    x = X.astype(np.float32)
    for otypes in (None, "d", "f", [complex]):
        function = tnp.vectorize(np.square, otypes=otypes)
        y, pullback = vjp(function, x)
        assert y.dtype == function(x).dtype == np.vectorize(np.square, otypes=otypes)(x).dtype
        assert pullback(np.ones_like(y))[0].dtype == np.float32


def test_empty_arguments():
    assert grad(lambda x: tnp.vectorize(np.square, otypes=[float])(x).sum())(
        np.empty((0, 2))
    ).shape == (0, 2)
    with pytest.raises(ValueError, match="size 0 inputs"):
        grad(lambda x: tnp.vectorize(np.square)(x).sum())(np.empty(0))


def test_as_a_decorator():
    @tnp.vectorize(otypes=[float])
    def clipped(x, limit):
        """x, at most the limit."""
        return min(x, limit)

    assert (clipped.__name__, clipped.__doc__) == ("clipped", "x, at most the limit.")
    assert grad(lambda x: clipped(x, 1.0).sum())(X).tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "args", [(W, X), (2.0, X), ([1, 2, 3], 2)], ids=["arrays", "a number", "integers"]
)
def test_plain_values_are_left_to_numpy(args):
    expected = np.vectorize(ramp)(*args)
    found = tnp.vectorize(ramp)(*args)
    np.testing.assert_array_equal(found, expected)
    assert (type(found), found.dtype) == (type(expected), expected.dtype)


def test_a_function_that_numpy_vectorised():
    vectorized = np.vectorize(ramp, otypes=[float], excluded={1})
    ours = tnp.interceptable(vectorized)
    np.testing.assert_array_equal(ours(X, 0.3), vectorized(X, 0.3))
    assert (ours.__name__, ours.excluded, isinstance(ours, np.vectorize)) == ("ramp", {1}, True)
    np.testing.assert_allclose(grad(lambda x: ours(x, 0.3).sum())(X), [1.0, 0.3, 4.0])


def test_numpys_own_raises_and_names_this_one():
    with pytest.raises(LostGradientError) as caught:
        grad(lambda x: np.vectorize(ramp)(x, 0.3).sum())(X)
    assert "chainrules_tape.numpy" in caught.value.instead
    assert "vectorize" in caught.value.instead


def test_a_function_that_loses_the_derivative_still_raises():
    with pytest.raises(LostGradientError) as caught:
        grad(lambda x: tnp.vectorize(lambda t: float(x[0]) * t)(W).sum())(X)
    assert caught.value.where == "float(x)"
