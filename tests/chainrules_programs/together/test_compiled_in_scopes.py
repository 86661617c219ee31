"""Programs that are compiled inside of `seen_through`, which looks at their decisions: the tape's
results and errors, at other numbers too.
"""

import functools
import math
from functools import partial

import numpy as np
import pytest
from scipy.stats import norm

from chainrules_tape import (
    LostGradientError,
    compiled,
    explain,
    grad,
    hessian,
    seen_through,
    stop_gradient,
    value_and_grad,
)


def of_entries(z):
    return np.sum(np.where(z < 1.3, z, z * z)) + np.sum(z[z >= 2.0] ** 3)


def of_a_number(x):
    return x * x if x < 1.3 else 3.0 * x


def of_a_sign(z):
    return np.sum(np.copysign(z, z - 1.0) * np.sign(z - 2.0))


def of_one_number(z):
    return np.sum(np.where(z == 0.7, 2.0 * z, z * z))


def newton(x):
    y = step = x
    while abs(step) > 1e-12:
        step = (y * y - x) / (2.0 * y)
        y = y - step
    return y


def slow_series(x):
    """Thirty terms and more, of which all but the last are above the tolerance."""
    term, total, k = x, x, 1
    while abs(term) > 1e-6:
        k += 1
        term = term * x * (k - 1) / k
        total = total + term
    return total


def zigzag(x):
    """Twenty comparisons at one place, with either answer."""
    for k in range(20):
        x = 1.1 * x if math.sin(k * x) > 0.1 else 0.9 * x
    return x


def of_math(x):
    power = math.pow(x, 2.5) + math.sqrt(x)
    return math.exp(x) * power + math.log(x) + math.log(x, 10) + math.hypot(x, 1.0)


def of_float(x):
    return float(x) ** 2 + x * int(x) + math.floor(x) * x + math.ceil(x) + math.trunc(x) * x


def of_entries_by_math(z):
    return sum(math.sin(v) * float(v) for v in z)


def of_questions(x):
    return 2.0 * x if math.isnan(x) or math.isclose(x, 1.2) else x * x


def square_root_or_zero(x):
    try:
        return math.sqrt(x - 1.0)
    except ValueError:
        return 5.0 * x


def required(x):
    """A call of `math` whose result nobody reads."""
    math.sqrt(x)
    return x * x


@functools.lru_cache
def factorial(n):
    return math.prod(range(1, n + 1))


@functools.lru_cache
def scaled(x, n):
    return x * n * SCALE


@functools.lru_cache
def offset(n):
    return n + offset_of(SCALE)


@functools.lru_cache
def offset_of(scale):
    return scale * SCALE


SCALE = 2.0


def of_caches(x):
    """A cache that is asked by plain numbers, and one that is passed by for traced ones."""
    return sum(x**k / factorial(k) for k in range(5)) * x**2 * offset(2) + scaled(x, 3)


def of_distributions(x):
    return norm.cdf(x) * norm.pdf(2.0 * x) + norm.logpdf(x, 0.5, 2.0)


def of_lists_of_buffers(z):
    """Arrays of lists with entries of arrays that depend on an argument, but not its derivative."""
    counts = np.zeros(2)
    counts[0] = np.floor(stop_gradient(z[0])) + 1.0
    matrix = np.array([[counts[0], 2.0], [0.5, counts[1]]])
    joined = np.r_[counts, 3.0]
    return np.sum(matrix @ z[:2] * joined[0]) + np.sum(joined * z)


Z = np.array([0.7, 1.31, 2.5])
POINTS = [
    (of_entries, [Z, Z + 0.01, Z[::-1].copy(), Z - 0.5, np.full(3, 1.3)]),
    (of_a_number, [1.2, 1.25, 1.4, 1.3, -2.0]),
    (of_a_sign, [Z, Z + 0.01, -Z, Z + 3.0, np.full(3, np.nan)]),
    (of_one_number, [Z + 0.1, Z + 0.2, Z[::-1] + 0.4]),
    (newton, [1.2, 1.21, 3.0, 400.0]),
    (slow_series, [0.7, 0.71, 0.3, -0.8]),
    (zigzag, [1.2, 1.2001, 1.9, -3.0]),
    (of_math, [1.2, 1.3, 0.1, 1e4, -1.0, 0.0, np.inf, np.nan]),
    (of_float, [1.2, 1.3, 2.7, -1.5, np.inf, np.nan]),
    (of_entries_by_math, [Z, Z + 1.0, np.array([1.0, np.inf, 0.0])]),
    (of_questions, [1.3, 1.4, 1.2, np.nan]),
    (square_root_or_zero, [1.2, 1.3, 0.5, 2.0, 0.4]),
    (required, [1.2, 1.3, -1.0, 2.0]),
    (of_caches, [1.2, 1.3, -1.0, 2.0]),
    (of_distributions, [1.2, 1.3, -1.0, np.inf]),
    (of_lists_of_buffers, [Z, Z + 0.01, Z + 3.0, -Z]),
]


def outcome(function, x):
    """What a function returns, or the error that it raises."""
    try:
        return function(x)
    except Exception as error:
        return type(error), str(error)


def require_equal(found, expected, x):
    """Two results are equal, NaN included, or two errors of one class and text."""
    if isinstance(expected[0], type):
        assert found == expected, (found, expected, x)
    else:
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14, err_msg=str(x))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("to", ["numpy", "math"])
@pytest.mark.parametrize("is_scope_open", [True, False])
@pytest.mark.parametrize(("function", "points"), POINTS, ids=[f.__name__ for f, _ in POINTS])
def test_the_tapes_results(function, points, to, is_scope_open):
    """In the scope, or recorded in the scope of this file, and run outside of it."""
    slope = value_and_grad(function if is_scope_open else seen_through(function))
    step = compiled(slope, to=to)
    with seen_through(*[__name__] * is_scope_open):
        for x in [points[0], points[0], *points, *points, *points]:
            require_equal(outcome(step, x), outcome(slope, x), x)
        assert step.programs(), explain(step)


def test_what_a_cached_function_reads(monkeypatch):
    step = compiled(grad(of_caches))
    with seen_through(__name__):
        for scale in (2.0, 2.0, 2.0, 5.0, 5.0, 2.0):
            monkeypatch.setitem(globals(), "SCALE", scale)
            assert step(1.5) == grad(of_caches)(1.5)
        assert step.count_of_programs() > 0
        for cache in (offset, offset_of, offset, offset_of):
            cache.cache_clear()
            assert step(1.5) == grad(of_caches)(1.5)
            assert step(1.5) == grad(of_caches)(1.5)


def test_a_hessian_through_a_distribution_asks_no_value():
    """Where rules compare a value with itself, nothing is asked of it."""
    curvature = compiled(hessian(seen_through(lambda x: norm.logpdf(x[0]) * x[1])))
    for x in ([0.3, 0.4], [0.5, 0.1], [-1.0, 2.0]):
        expected = [[-x[1], -x[0]], [-x[0], 0.0]]
        np.testing.assert_allclose(curvature(np.array(x)), expected)
    assert len(curvature.programs()) == 1


@pytest.mark.parametrize("searched", [2.0, 2.1])
def test_a_search(searched):
    def root(a):
        low, high = 0.0, 2.0
        while high - low > 1e-10:
            middle = (low + high) / 2
            low, high = (middle, high) if middle * middle < a else (low, middle)
        return low

    step = compiled(grad(seen_through(root)))
    for _ in range(3):
        with pytest.raises(LostGradientError, match="closer to a tie: its"):
            step(searched)
    assert step.count_of_programs() == 0


def times(z, weight, power=2.0):
    return np.sum(weight * np.power(z, power)) + math.exp(z[0])


def test_parts_of_a_partial_with_its_file():
    weight = np.array([1.0, 2.0, 3.0])
    given = partial(times, weight=weight, power=3.0)
    slope = grad(seen_through(given))
    step = compiled(slope)
    for k in range(12):
        if k % 4 == 2:
            weight[k // 4] += 1.0
        if k % 4 == 3:
            given.keywords["power"] += 0.5
        np.testing.assert_array_equal(step(Z + 0.1 * k), slope(Z + 0.1 * k))
    assert step.programs(), explain(step)
    assert "exp" in step.source(Z)


def test_a_method_of_the_name_that_scopes_use():
    """An object of the user's may have a method `around`, as what `seen_through` returns has."""

    class Ring:
        def __call__(self, x):
            return x**2

        def around(self, x):
            raise AssertionError

    assert grad(Ring())(3.0) == 6.0
