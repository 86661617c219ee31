"""`vectorize` computes all calls at once where the function does not decide by what it sees: how often
it is called, dtypes and errors; derivatives are cells of `product.plain`.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import chainrules_tape.numpy as tnp
from chainrules_tape import LostGradientError, grad, vjp

X = np.linspace(-1.0, 2.0, 6).reshape(2, 3)
S = np.array([0.5, 1.0, 2.0])


def ramp(x, slope):
    return x**2 if x > 0 else slope * x  # Python's if, on one number


def counted(function):
    """The function, and the list of the classes that it was called with."""
    seen = []

    def called(*args, **options):
        seen.append([type(arg).__name__ for arg in args])
        return function(*args, **options)

    return called, seen


def test_a_function_without_decisions_is_called_once():
    f, seen = counted(lambda x, s: np.sin(s * x) + x)
    got = grad(lambda x: tnp.vectorize(f)(x, S).sum())(X)
    assert seen == [["LaneNumber", "LaneNumber"]]
    assert_allclose(got, S * np.cos(S * X) + 1.0)


def test_a_function_that_decides_is_called_for_each_number():
    f, seen = counted(lambda x: x * x if x > 0 else -x)
    got = grad(lambda x: tnp.vectorize(f)(x).sum())(X)
    assert len(seen) == 1 + X.size
    assert_allclose(got, np.where(X > 0, 2 * X, -1.0))


SINGLE = {
    **{f"otypes={otypes}": {"otypes": otypes} for otypes in (None, "d", "f", [complex])},
    "of rows": {"signature": "(n)->(n)"},
}


@pytest.mark.parametrize("name", SINGLE)
def test_dtypes_are_numpys(name):
    x = X.astype(np.float32)
    function = tnp.vectorize(np.square, **SINGLE[name])
    y, pullback = vjp(function, x)
    assert y.dtype == function(x).dtype == np.vectorize(np.square, **SINGLE[name])(x).dtype
    assert pullback(np.ones_like(y))[0].dtype == np.float32


def test_as_a_decorator():
    @tnp.vectorize(otypes=[float])
    def clipped(x, limit):
        """x, at most the limit."""
        return min(x, limit)

    assert (clipped.__name__, clipped.__doc__) == ("clipped", "x, at most the limit.")
    assert grad(lambda x: clipped(x, 1.0).sum())(S).tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "args", [(X, S), (2.0, S), ([1, 2, 3], 2)], ids=["arrays", "a number", "integers"]
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


REFUSED = {
    "NumPy's own": (lambda x: np.vectorize(ramp)(x, 0.3).sum(), "chainrules_tape.* vectorize"),
    "a function that loses it": (
        lambda x: tnp.vectorize(lambda t: float(x[0]) * t)(X).sum(),
        r"float\(x\)",
    ),
}


@pytest.mark.parametrize(("f", "words"), REFUSED.values(), ids=REFUSED)
def test_what_loses_the_derivative_raises(f, words):
    with pytest.raises(LostGradientError, match=words):
        grad(f)(S)
