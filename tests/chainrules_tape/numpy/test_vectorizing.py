"""`vectorize` computes all calls at once where the function does not decide by what it sees."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import chainrules_tape.numpy as tnp
from chainrules_tape import grad, jvp, vmap

X = np.linspace(-1.0, 2.0, 6).reshape(2, 3)
S = np.array([0.5, 1.0, 2.0])


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


@pytest.mark.parametrize(
    ("made", "args", "options"),
    [
        (tnp.vectorize(lambda x: (x, 2 * x)), (X,), {}),
        (tnp.vectorize(lambda x, *, by: x * by), (X,), {"by": S}),
        (tnp.vectorize(lambda x: x, otypes=["f"]), (X,), {}),
        (tnp.vectorize(lambda v, w: v @ w, signature="(n),(n)->()"), (X, S), {}),
        (tnp.vectorize(lambda v: np.cumsum(v), signature="(n)->(n)"), (X,), {}),
        (tnp.vectorize(lambda x, p: np.polyval(p, x), excluded=[1]), (X, S), {}),
        (tnp.vectorize(lambda x, k: x**k), (X, np.array([1, 2, 3])), {}),
        (tnp.vectorize(np.sin), (X.astype(np.float32),), {}),
    ],
    ids=str,
)
def test_values_and_derivatives_are_those_of_single_calls(made, args, options):
    expected = np.vectorize.__call__(made, *args, **options)
    dots = np.cos(args[0])
    y, y_dot = jvp(lambda x: made(x, *args[1:], **options), (args[0],), (dots,))
    for one, other in zip(
        y if isinstance(y, tuple) else (y,),
        expected if isinstance(expected, tuple) else (expected,),
        strict=True,
    ):
        assert one.dtype == other.dtype
        assert_allclose(one, other, rtol=1e-6)
    if expected_is_double(expected):
        step = 1e-6
        moved = [
            np.vectorize.__call__(made, args[0] + sign * step * dots, *args[1:], **options)
            for sign in (1, -1)
        ]
        slopes = (np.asarray(moved[0]) - np.asarray(moved[1])) / (2 * step)
        assert_allclose(np.asarray(y_dot), slopes, rtol=1e-5, atol=1e-7)


def expected_is_double(y):
    """Whether differences of a result are exact enough to compare with."""
    return np.asarray(y).dtype == np.float64


def test_a_constant_result_is_that_of_each_call():
    y = jvp(lambda x: tnp.vectorize(lambda x: 3)(x), (X,), (X,))[0]
    assert (y.dtype, y.tolist()) == (np.dtype(int), [[3, 3, 3], [3, 3, 3]])


def test_vectorised_functions_in_lanes():
    f = tnp.vectorize(lambda x, s: np.tanh(x) * s)
    assert_allclose(vmap(lambda x: f(x, S))(X), np.tanh(X) * S)
