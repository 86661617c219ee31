"""Programs whose value, gradient or both were once wrong in silence: now they are right, or say that they will not be."""

import warnings

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, NoRuleError, NotDifferentiableError, NotImplementedTangentError, frule, rrule
from chainrules_py.testing.finite_differences import directional
from chainrules_tape import grad, jvp, primitive, vjp
from chainrules_tape.refusals import InPlaceError, InputError, LostGradientError, LostGradientWarning

X = np.array([0.31, 0.87, 0.52])
Z = np.array([0.3 + 0.2j, 0.5 - 0.1j, 0.2 + 0.7j])
MASK = np.array([True, False, True])
A = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]])

RIGHT = {
    "choose, by a list": (lambda x: np.choose([0, 1, 0], [x, x * x]), X),
    "choose, by a tuple, wrapped": (lambda x: np.choose((0, 3, 0), [x, x * x], mode="wrap"), X),
    "clip, bounds in a list": (lambda x: np.clip(x, [0.4, 0.1, 0.1], (1.0,)), X),
    "clip, bounds in nested lists": (lambda x: x.clip(max=[[0.4, 0.1, 0.1], [0.2, 0.9, 0.6]]), X),
    "clip, traced numbers in a list": (lambda x: np.clip(x, [x[1] * 0.4, x[0], 0.1], None), X),
    "where, a list beside": (lambda x: np.where(MASK, x * x, [1.0, 2.0, 3.0]), X),
    "where, a list before": (lambda x: np.where(MASK, (1, 2, 3), x * x), X),
    "where, traced numbers in a list": (lambda x: np.where(MASK, [x[0] * x[1], 1.0, x[2]], x * x), X),
    "ix_": (lambda x: np.multiply(*np.ix_(x, x[:2])), X),
    "extract, of a Python number": (lambda x: np.extract(x > 0.5, x), 0.7),
    "histogram2d, the same bins twice": (lambda x: np.histogram2d(x, x[::-1], bins=[0.2, 0.5, 0.9])[1] * x, X),
    "histogram2d, numbers of bins in an array": (lambda x: np.histogram2d(x, x[::-1], bins=np.array([2, 3]))[1], X),
    "var, complex numbers in a real dtype": (lambda z: np.var(z, dtype=float), Z),
    "std, complex numbers in a real dtype": (lambda z: np.nanstd(z, dtype=float), Z),
    "cov, without saying which bias": (lambda x: np.cov(x, bias=None), X),
    "lstsq, a tolerance that LAPACK does not read": (lambda a: np.linalg.lstsq(a, np.ones(3), rcond=2.0)[0], A),
    "take, of a number": (lambda x: np.take(x, [0, 0], axis=-1) * x, np.float64(0.7)),
    "repeat, of a number": (lambda x: np.repeat(x, 2, axis=0) * x, np.float64(0.7)),
}


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", RIGHT)
def test_agrees_with_numpy_and_with_differences(name):
    f, x = RIGHT[name]
    x_dot = type(x)(1.3) if np.ndim(x) == 0 else np.cos(np.arange(x.size)).reshape(x.shape).astype(x.dtype)
    y, y_dot = jvp(f, (x,), (x_dot,))
    np.testing.assert_allclose(y, f(x), rtol=1e-14)
    np.testing.assert_allclose(y_dot, directional(f, x, x_dot).tangent(), rtol=1e-6, atol=1e-9)
    y, pullback = vjp(f, x)
    y_bar = np.sin(1.0 + np.arange(np.size(y))).reshape(np.shape(y))
    (x_bar,) = pullback(y_bar if isinstance(y, np.ndarray) else y_bar[()])
    assert np.vdot(x_bar, x_dot).real == pytest.approx(np.vdot(y_bar, y_dot).real)


REFUSED = {
    "a number of dtype object": (lambda x: x.astype(object)[0], LostGradientError),
    "sums of dtype object": (lambda x: np.cumsum(x, dtype=object)[0], LostGradientError),
    "choosing between numbers and nothing": (lambda x: np.where(MASK, x, None)[0], NoRuleError),
    "a query into a traced value": (lambda x: (np.isnan(np.ones(3), out=x), np.sum(x))[1], InPlaceError),
    "clip, a buffer by position": (lambda x: np.sum(np.clip(x, 0.4, 0.6, np.zeros(3))), InPlaceError),
    "edges of a histogram of a list": (lambda x: np.sum(np.histogramdd([x, x])[1][0]), NotImplementedTangentError),
    "pinv of a part": (lambda x: np.sum(np.linalg.pinv(A * x[0], rcond=0.6)), NotDifferentiableError),
    "lstsq with a part": (lambda x: np.sum(np.linalg.lstsq(A * x[0], X, rcond=0.6)[0]), NotDifferentiableError),
}


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(name):
    f, error = REFUSED[name]
    with pytest.raises(error):
        grad(f)(X)
    with pytest.raises(error):
        jvp(f, (X,), (X,))


def test_a_right_hand_side_may_be_solved_with_a_part_of_a_matrix():
    part = np.linalg.pinv(A, rcond=0.6)
    (bar,) = vjp(lambda b: np.linalg.lstsq(A, b, rcond=0.6)[0], X)[1](X)
    np.testing.assert_allclose(bar, part.T @ X)


def test_plain_containers_of_tangents_from_a_rule():
    @primitive
    def both(x):
        return np.sin(x), np.cos(x)

    @frule.register(both)
    def both_frule(dots, x):
        return both(x), (np.cos(x) * dots[0], -np.sin(x) * dots[0])

    def f(x):
        s, c = both(x)
        return s * c

    assert jvp(f, (0.3,), (1.0,))[1] == pytest.approx(np.cos(0.6))
    assert grad(f)(0.3) == pytest.approx(np.cos(0.6))  # by linearity


def test_plain_containers_of_cotangents_from_a_rule():
    @primitive
    def product(factors):
        return factors[0] * factors[1]

    @rrule.register(product)
    def product_rrule(factors):
        return product(factors), lambda y_bar: ([y_bar * factors[1], y_bar * factors[0]],)

    assert grad(lambda a, b: product([a, b]), (0, 1))(2.0, 3.0) == (3.0, 2.0)
    assert jvp(lambda a, b: product([a, b]), (2.0, 3.0), (1.0, 1.0))[1] == 5.0


def test_an_argument_named_twice():
    with pytest.raises(InputError) as caught:
        grad(lambda a, b: a * b, (0, -2))(1.0, 2.0)
    assert caught.value.argument == 0


@pytest.mark.parametrize("x", [0.7, np.float64(1.5), np.float32(2.5)], ids=repr)
def test_a_number_is_rounded_to_an_integer(x):
    assert grad(lambda x: x * range(5)[round(x)])(x) == round(x)


def test_numbers_cast_at_second_order():
    def derivative(x, x_dot):
        return jvp(lambda x: x * x + np.float32(1), (x,), (x_dot,))[1]

    assert vjp(derivative, 0.3, 0.4)[1](1.0) == pytest.approx((0.8, 0.6))


def test_layout_of_arguments():
    x = np.asfortranarray(np.ones((2, 3)))
    assert vjp(lambda x: (x, x.strides), x)[0][1] == x.strides


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: float(x) if np.ndim(x) == 0 else x, 0.7),
        (lambda x: 2.0 * x if np.array_equal([x], [0.7]) else x, 0.7),  # NumPy catches whatever conversion raises
        (lambda x: np.array([x[0], 1.0])[0], X),
    ],
    ids=["float", "array_equal", "array"],
)
def test_a_refusal_that_was_caught_is_reported(f, x):
    def careless(x):
        try:
            return f(x) + 0.0 * np.sum(x)
        except TypeError:
            return 3.0 * np.sum(x)

    with pytest.warns(LostGradientWarning):
        grad(careless)(x)
    with pytest.warns(LostGradientWarning):
        jvp(careless, (x,), (x,))


def test_a_conversion_that_plain_arrays_refuse_is_not_reported():
    def careful(x):
        try:
            return 2.0 * float(x)
        except TypeError:
            return 3.0 * np.sum(x)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(grad(careful)(X), np.full(3, 3.0))


def test_no_tangent_of_a_constant_is_not_an_error():
    y, pullback = vjp(lambda x, n: x * n, 2.0, 3)
    assert (y, pullback(1.0)) == (6.0, (3.0, NO_TANGENT))
