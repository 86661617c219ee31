"""Programs whose value, gradient or both were once wrong in silence: now they are right, or say
that they will not be.
"""

import math
import random
import struct
import threading
import time
import warnings
from datetime import datetime
from functools import lru_cache

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_py import (
    NO_TANGENT,
    NoRuleError,
    NotDifferentiableError,
    OptionError,
    frule,
    rrule,
)
from chainrules_py.testing.finite_differences import directional
from chainrules_tape import grad, jvp, primitive, vjp
from chainrules_tape.refusals.errors import (
    InPlaceError,
    InputError,
    LostGradientError,
    LostGradientWarning,
)

X = np.array([0.31, 0.87, 0.52])
Z = np.array([0.3 + 0.2j, 0.5 - 0.1j, 0.2 + 0.7j])
LOCK = threading.Lock()
MASK = np.array([True, False, True])
A = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]])

TWICE = np.array([1.0, 1.0, 2.0])  # points that determine a line


class Second:
    """An index that is no integer."""

    def __index__(self):
        return 1


def writes_its_index(x):
    index, y = [0, 2], x * x
    read = y[index]
    index[:] = [1, 1]
    return read


def writes_its_options(x):
    positions, counts = [[0], [2]], [2, 0, 1]
    y = np.take(x * x, positions), np.repeat(x * x, counts)
    positions[0][0], counts[:] = 1, [1, 1, 1]
    return y[0].sum() * y[1]


RIGHT = {
    "a list that is an index, written to later": (writes_its_index, X),
    "lists that are options, written to later": (writes_its_options, X),
    "convolve, the mode by number": (lambda x: np.convolve(x, x, mode=2), X),
    "correlate, the mode by number": (lambda x: np.correlate(x, x[:2], mode=1), X),
    "a product of Python's objects": (lambda x: np.prod(x, dtype=object) * x, X),
    "a trace of Python's objects": (lambda a: np.trace(a, dtype=object) * a, A),
    "values fitted at too few points": (lambda y: np.polyfit(TWICE, y, 2), X),
    "a fitted series at too few points": (
        lambda y: tnp.polynomial.chebyshev.chebfit(TWICE, y, 2),
        X,
    ),
    "padded with nothing": (lambda x: np.pad(x * x, 1, constant_values=None)[1:-1], X),
    "powers of zero": (lambda x: np.logspace(x[0], 3.0, 4, base=0) + x[0], X),
    "a density with a bin of no width": (
        lambda w: np.histogram(X, [0.0, 0.5, 0.5, 1.0], weights=w, density=True)[0][[0, 2]],
        X,
    ),
    "a density in edges, with a bin of no width": (
        lambda e: np.histogram(X, np.concatenate([e[:1], [0.5, 0.5], e[2:]]), density=True)[0][
            [0, 2]
        ],
        np.array([0.0, 0.5, 1.0]),
    ),
    "a density, the weights complex": (
        lambda w: np.histogram(X, bins=3, weights=w, density=True)[0],
        Z,
    ),
    "var, complex numbers about a complex mean": (lambda z: np.var(z, mean=Z[:1]), Z),
    "choose, by a list": (lambda x: np.choose([0, 1, 0], [x, x * x]), X),
    "choose, by a tuple, wrapped": (lambda x: np.choose((0, 3, 0), [x, x * x], mode="wrap"), X),
    "clip, bounds in a list": (lambda x: np.clip(x, [0.4, 0.1, 0.1], (1.0,)), X),
    "clip, bounds in nested lists": (lambda x: x.clip(max=[[0.4, 0.1, 0.1], [0.2, 0.9, 0.6]]), X),
    "clip, traced numbers in a list": (lambda x: np.clip(x, [x[1] * 0.4, x[0], 0.1], None), X),
    "where, a list beside": (lambda x: np.where(MASK, x * x, [1.0, 2.0, 3.0]), X),
    "where, a list before": (lambda x: np.where(MASK, (1, 2, 3), x * x), X),
    "where, traced numbers in a list": (
        lambda x: np.where(MASK, [x[0] * x[1], 1.0, x[2]], x * x),
        X,
    ),
    "ix_": (lambda x: np.multiply(*np.ix_(x, x[:2])), X),
    "extract, of a Python number": (lambda x: np.extract(x > 0.5, x), 0.7),
    "histogram2d, the same bins twice": (
        lambda x: np.histogram2d(x, x[::-1], bins=[0.2, 0.5, 0.9])[1] * x,
        X,
    ),
    "histogram2d, numbers of bins in an array": (
        lambda x: np.histogram2d(x, x[::-1], bins=np.array([2, 3]))[1],
        X,
    ),
    "var, complex numbers in a real dtype": (lambda z: np.var(z, dtype=float), Z),
    "std, complex numbers in a real dtype": (lambda z: np.nanstd(z, dtype=float), Z),
    "cov, without saying which bias": (lambda x: np.cov(x, bias=None), X),
    "lstsq, with a part of a matrix": (lambda a: np.linalg.lstsq(a, X, rcond=0.6)[0], A),
    "lstsq, with a part of a matrix, several right-hand sides": (
        lambda a: np.linalg.lstsq(a, np.stack([X, X**2], 1) * a[0, 0], rcond=0.6)[0],
        A,
    ),
    "lstsq, a tolerance that LAPACK does not read": (
        lambda a: np.linalg.lstsq(a, np.ones(3), rcond=2.0)[0],
        A,
    ),
    "take, of a number": (lambda x: np.take(x, [0, 0], axis=-1) * x, np.float64(0.7)),
    "repeat, of a number": (lambda x: np.repeat(x, 2, axis=0) * x, np.float64(0.7)),
}


@pytest.mark.filterwarnings(
    "ignore::numpy.exceptions.ComplexWarning", "ignore::numpy.exceptions.RankWarning"
)
@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value):RuntimeWarning")
@pytest.mark.parametrize("name", RIGHT)
def test_agrees_with_numpy_and_with_differences(name):
    f, x = RIGHT[name]
    x_dot = (
        type(x)(1.3)
        if np.ndim(x) == 0
        else np.cos(np.arange(x.size)).reshape(x.shape).astype(x.dtype)
    )
    y, y_dot = jvp(f, (x,), (x_dot,))
    np.testing.assert_allclose(y, f(x), rtol=1e-14)
    np.testing.assert_allclose(y_dot, directional(f, x, x_dot).tangent(), rtol=1e-6, atol=1e-9)
    y, pullback = vjp(f, x)
    y_bar = np.sin(1.0 + np.arange(np.size(y))).reshape(np.shape(y))
    (x_bar,) = pullback(y_bar if isinstance(y, np.ndarray) else y_bar[()])
    assert np.vdot(x_bar, x_dot).real == pytest.approx(np.vdot(y_bar, y_dot).real)


REFUSED = {
    "points that do not determine the fit": (
        lambda x: np.sum(np.polyfit(TWICE * x[0], X, 2)),
        NotDifferentiableError,
    ),
    "points that do not determine the series": (
        lambda x: np.sum(tnp.polynomial.legendre.legfit(TWICE * x[0], X, 2)),
        NotDifferentiableError,
    ),
    "one and a half quarter turns": (lambda x: np.sum(np.rot90(A * x[0], k=1.5)), OptionError),
    "a product where None": (lambda x: np.prod(x, where=None), OptionError),
    "a maximum where numbers": (lambda x: np.max(x, where=[2, 0, 1], initial=0.0), OptionError),
    "a variance where two": (lambda x: np.var(x, where=2), OptionError),
    "a variance of complex degrees": (lambda x: np.var(x, ddof=0.5j), OptionError),
    "a deviation from a complex mean": (lambda x: np.abs(np.std(x, mean=Z[:1])), OptionError),
    "a choice of objects by or": (
        lambda x: np.logical_or(x, np.array([1.0, 2.0, 3.0], object))[0],
        NotDifferentiableError,
    ),
    "a choice of objects by and": (
        lambda x: np.logical_and(np.array([1.0, 2.0], object), x[:2])[0],
        NotDifferentiableError,
    ),
    "a density of complex data": (
        lambda x: np.sum(np.histogram(x * Z, bins=3, density=True)[0][:1]),
        NotDifferentiableError,
    ),
    "a number of dtype object": (lambda x: x.astype(object)[0], LostGradientError),
    "sums of dtype object": (lambda x: np.cumsum(x, dtype=object)[0], LostGradientError),
    "choosing between numbers and nothing": (lambda x: np.where(MASK, x, None)[0], NoRuleError),
    "clip, a buffer by position": (
        lambda x: np.sum(np.clip(x, 0.4, 0.6, np.zeros(3))),
        InPlaceError,
    ),
}


@pytest.mark.filterwarnings(
    "ignore::numpy.exceptions.ComplexWarning", "ignore::numpy.exceptions.RankWarning"
)
@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(name):
    f, error = REFUSED[name]
    with pytest.raises(error):
        grad(f)(X)
    with pytest.raises(error):
        jvp(f, (X,), (X,))


def test_a_sum_where_none_is_refused_where_its_adjoint_is_asked_for():
    # NumPy takes it for False
    assert jvp(lambda x: np.sum(x, where=None), (X,), (X,)) == (0.0, 0.0)
    with pytest.raises(OptionError) as caught:
        grad(lambda x: np.sum(x, where=None))(X)
    assert caught.value.option == "where"


REDUCTIONS = (
    *(np.sum, np.mean, np.prod, np.max, np.std, np.var, np.nansum),
    *(np.nanmean, np.nanprod, np.nanmin, np.nanstd, np.ptp),
    *(np.median, np.average, np.cumsum, np.diff, np.sort, np.linalg.norm, np.fft.fft),
)


AXES = {"array": np.array(1), "int64": np.int64(1), "index": Second()}


@pytest.mark.parametrize("kind", AXES)
@pytest.mark.parametrize("reduction", REDUCTIONS, ids=lambda f: f.__name__)
def test_an_axis_is_whatever_python_takes_for_an_index(reduction, kind):
    axis = AXES[kind]
    y, pullback = vjp(lambda a: reduction(a, axis=axis), A)
    expected, expected_pullback = vjp(lambda a: reduction(a, axis=1), A)
    np.testing.assert_array_equal(y, expected)
    y_bar = np.cos(np.arange(np.size(y))).reshape(np.shape(y)).astype(y.dtype)
    np.testing.assert_array_equal(pullback(y_bar)[0], expected_pullback(y_bar)[0])
    np.testing.assert_array_equal(
        *(jvp(lambda a, k=k: reduction(a, axis=k), (A,), (A.T,))[1] for k in (axis, 1))
    )


@pytest.mark.parametrize("axis", [np.array(1), Second()], ids=["array", "index"])
@pytest.mark.parametrize("join", [np.concatenate, np.stack], ids=lambda f: f.__name__)
def test_arrays_are_joined_along_whatever_python_takes_for_an_index(join, axis):
    y, pullback = vjp(lambda a: join([a, a], axis=axis), A)
    np.testing.assert_array_equal(pullback(y)[0], 2 * A)


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
        # NumPy catches whatever conversion raises
        (lambda x: 2.0 * x if np.array_equal([x], [0.7]) else x, 0.7),
        (lambda x: np.array([x[0], 1.0])[0], X),
        (lambda x: hash(x) * 0.0, 0.7),
        (lambda x: {0.7: 2.0}[x], 0.7),
        (lambda x: len({x, 2.0}), 0.7),
        (lambda x: lru_cache(math.sin)(x), 0.7),
        (lambda x: random.Random(x).random(), 0.7),
        (lambda x: len(struct.pack("d", x)), 0.7),
        (lambda x: time.sleep(1e-9 * x) or x, 0.7),
        (lambda x: datetime.fromtimestamp(x).microsecond, 0.7),
        (lambda x: LOCK.acquire(timeout=x) * LOCK.release(), 0.7),
    ],
    ids=[
        *("float", "array_equal", "array", "hash", "key", "member", "cache", "seed", "pack"),
        *("sleep", "date", "lock"),
    ],
)
def test_a_refusal_that_was_caught_is_reported(f, x):
    def careless(x):
        try:
            return f(x) + 0.0 * np.sum(x)
        except (TypeError, struct.error):
            return 3.0 * np.sum(x)

    with pytest.warns(LostGradientWarning):
        grad(careless)(x)
    with pytest.warns(LostGradientWarning):
        jvp(careless, (x,), (x,))


@pytest.mark.parametrize(
    "f",
    [lambda x: [1.0, 2.0][x], lambda x: len(range(x)), lambda x: np.zeros(x), lambda x: x[0]],
    ids=["item", "range", "shape", "read"],
)
def test_a_use_that_plain_numbers_refuse_is_not_reported(f):
    def careful(x):
        try:
            return f(x)
        except (TypeError, IndexError):
            return 3.0 * x

    assert careful(0.7) == 3.0 * 0.7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert grad(careful)(0.7) == 3.0


def test_arrays_are_not_hashable_as_ever():
    def careful(x):
        try:
            return hash(x) * 2.0 * x[0]
        except TypeError:
            return 3.0 * x[0]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(grad(careful)(X), [3.0, 0.0, 0.0])


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
