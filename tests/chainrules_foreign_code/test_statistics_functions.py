"""`statistics` of traced numbers: values are Python's, derivatives as differences have them."""

import statistics

import numpy as np
import pytest

import strangers
from chainrules_tape import grad, jvp, seen_through, vjp, vmap

X, Y = [0.3, 1.7, 2.2, 0.9], [1.0, 0.4, 2.5, 3.0]
CALLS = {
    "mean": lambda m, x: m.mean(x),
    "fmean": lambda m, x: m.fmean(x) + m.fmean(v for v in x),
    "fmean weighted": lambda m, x: m.fmean(x, Y) + m.fmean(Y, weights=x),
    "geometric_mean": lambda m, x: m.geometric_mean(x),
    "harmonic_mean": lambda m, x: m.harmonic_mean(x) + m.harmonic_mean(x, weights=Y),
    "variance": lambda m, x: m.variance(x) + m.variance(x, x[0]) + m.variance(tuple(x), xbar=0.5),
    "pvariance": lambda m, x: m.pvariance(x) * m.pvariance(x, mu=x[1]),
    "stdev": lambda m, x: m.stdev(x) + m.stdev(iter(x)),
    "pstdev": lambda m, x: m.pstdev(x),
    "covariance": lambda m, x: m.covariance(x, Y) + m.covariance(x, x),
    "correlation": lambda m, x: m.correlation(x, Y),
    "linear_regression": (
        lambda m, x: m.linear_regression(x, Y).slope * m.linear_regression(Y, x).intercept
    ),
    "through the origin": lambda m, x: sum(m.linear_regression(x, Y, proportional=True)),
    "median": lambda m, x: m.median(x) + m.median_low(x) * m.median_high(x),
    "quantiles": lambda m, x: m.quantiles(x, n=3)[1],
    "of samples": lambda m, x: m.NormalDist.from_samples(x).pdf(1.0),
    "array": lambda m, x: m.variance(np.stack(x) if type(x) is list else x),
}


@pytest.mark.parametrize("f", CALLS.values(), ids=CALLS)
def test_a_function_in_the_scope(f):
    g = lambda *x: f(statistics, list(x))  # noqa: E731
    value, h = g(*X), 1e-5
    steps = [[x + h * (j == k) for j, x in enumerate(X)] for k in range(4)]
    back = [[x - h * (j == k) for j, x in enumerate(X)] for k in range(4)]
    slopes = [(g(*plus) - g(*minus)) / (2 * h) for plus, minus in zip(steps, back, strict=True)]
    with seen_through("statistics"):
        assert g(*X) == value
        assert vjp(g, *X)[0] == value
        np.testing.assert_allclose(grad(g, (0, 1, 2, 3))(*X), slopes, rtol=1e-7, atol=1e-9)
        assert jvp(g, X, Y)[1] == pytest.approx(np.dot(slopes, Y), rel=1e-7)
        curvature = (g(X[0] + 1e-4, *X[1:]) - 2 * value + g(X[0] - 1e-4, *X[1:])) / 1e-8
        assert grad(grad(g))(*X) == pytest.approx(curvature, rel=1e-4, abs=1e-6)


def test_another_module_that_uses_it(monkeypatch):
    monkeypatch.setattr(strangers, "statistics", statistics, raising=False)
    monkeypatch.setattr(strangers, "stdev", statistics.stdev, raising=False)
    expected = (
        statistics.variance([0.7 + 1e-6, 2.0, 3.0]) - statistics.variance([0.7 - 1e-6, 2.0, 3.0])
    ) / 2e-6
    with seen_through("strangers"):
        assert grad(lambda x: strangers.statistics.variance([x, 2.0, 3.0]))(0.7) == pytest.approx(
            expected
        )
        assert grad(lambda x: strangers.stdev([x, 2.0, 3.0]) ** 2)(0.7) == pytest.approx(expected)
        assert strangers.statistics.NormalDist is statistics.NormalDist
    assert strangers.statistics is statistics
    assert strangers.stdev is statistics.stdev


def test_what_python_refuses_is_refused():
    with seen_through("statistics"):
        for f in (statistics.variance, statistics.stdev):
            with pytest.raises(statistics.StatisticsError):
                grad(lambda x, f=f: f([x]))(1.0)
        with pytest.raises(statistics.StatisticsError):
            grad(lambda x: statistics.geometric_mean([x, -1.0]))(1.0)


def test_numbers_in_lanes():
    def spread(x):
        return statistics.stdev(x) * statistics.fmean([x[0], 2.0 * x[1], 3.0])

    X = np.array([[0.5, 1.5, 2.0], [1.0, -0.5, 0.25]])
    with seen_through("statistics"):
        expected = [grad(spread)(x) for x in X]
        np.testing.assert_allclose(vmap(grad(spread))(X), expected, rtol=1e-13)
        np.testing.assert_allclose(vmap(spread)(X), [spread(x) for x in X.tolist()], rtol=1e-14)
