"""Functions that call a function, on traced values: `map` and `reduce` by Python itself,
`vectorize` by the tape's own.
"""

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import ZERO
from chainrules_tape import LostGradientError, grad, vjp

X, W = np.array([0.5, -1.5, 2.0]), np.array([[0.3, -0.7, 1.1], [0.5, 0.9, -0.2], [1.3, 0.1, 0.4]])


def ramp(x, slope):
    return x**2 if x > 0 else slope * x  # Python's if, on one number


# Each is a function of (np, x) of shape (3,), with NumPy's own vectorize for plain values and the
# tape's for traced ones.


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
