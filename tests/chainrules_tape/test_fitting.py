"""A fit has the covariance that is known of its problem, in whatever container its parameters are."""

from collections import namedtuple

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, stats

from chainrules_tape import fit

T = np.linspace(0.0, 2.0, 40)
NOISE = 0.05 * np.random.default_rng(0).normal(size=40)
DATA = 2.0 * np.exp(-1.5 * T) + NOISE
Rate = namedtuple("Rate", "rate")


def curve(p, t):
    return p["size"] * np.exp(-p["rate"] * t)


def residuals(p, t, y):
    return curve(p, t) - y


def test_a_curve_as_scipy_fits_it():
    found = fit(residuals, {"size": 1.0, "rate": 1.0}, T, DATA)
    best, covariance = optimize.curve_fit(
        lambda t, rate, size: size * np.exp(-rate * t), T, DATA, p0=[1.0, 1.0]
    )
    assert_allclose([found.params["rate"], found.params["size"]], best, rtol=1e-5)
    assert_allclose(found.covariance, covariance, rtol=1e-3)
    assert_allclose(found.standard_errors["size"], np.sqrt(covariance[1, 1]), rtol=1e-3)


def test_a_line_has_its_textbook_intervals():
    found = fit(lambda p, t, y: p[0] + p[1] * t - y, [0.0, 0.0], T, DATA)
    known = stats.linregress(T, DATA)
    assert_allclose(found.params, [known.intercept, known.slope])
    assert_allclose(found.standard_errors, [known.intercept_stderr, known.stderr], rtol=1e-6)
    low, high = found.interval(lambda p: p[0] + p[1] * 0.5, level=0.9)
    middle = DATA.mean() + known.slope * (0.5 - T.mean())
    squares = np.sum((DATA - known.intercept - known.slope * T) ** 2) / 38
    spread = np.sqrt(squares * (1 / 40 + (0.5 - T.mean()) ** 2 / np.sum((T - T.mean()) ** 2)))
    expected = middle + stats.t.ppf([0.05, 0.95], 38) * spread
    assert_allclose([low, high], expected, rtol=1e-6)


def test_a_likelihood_has_fishers_information():
    waits = stats.expon.ppf((np.arange(50) + 0.5) / 50)
    found = fit(lambda p, x: np.sum(x * p.rate - np.log(p.rate)), Rate(2.0), waits, tol=1e-9)
    assert_allclose(found.params.rate, 1 / waits.mean(), rtol=1e-6)
    assert_allclose(found.standard_errors.rate, 1 / waits.mean() / np.sqrt(50), rtol=1e-5)
    ends = found.interval(lambda p: 1 / p.rate, level=0.9)
    spread = stats.norm.ppf([0.05, 0.95]) * waits.mean() / np.sqrt(50)
    assert_allclose(ends, waits.mean() + spread, rtol=1e-5)


def test_parameters_of_any_size():
    found = fit(
        lambda p: (p["a"] - 2e-9 * T) * 1e9 + (p["b"] - 3e6) * T / 1e6, {"a": 0.0, "b": 1e6}
    )
    assert_allclose([found.params["a"], found.params["b"]], [0.0, 5e6], atol=1e-6)


def test_bounds_and_a_line_of_progress():
    bounds = {"size": 0.0, "rate": 0.0}, {"size": 10.0, "rate": 1.0}
    found = fit(residuals, {"size": 1.0, "rate": 0.5}, T, DATA, bounds=bounds, progress=True)
    assert_allclose(found.params["rate"], 1.0, rtol=1e-6)


def test_what_is_no_optimum_is_refused():
    with pytest.raises(RuntimeError, match="do not determine all parameters; fit fewer"):
        fit(lambda p: p["a"] + p["b"] - T, {"a": 1.0, "b": 1.0})
    with pytest.raises(RuntimeError, match=r"SciPy stopped .*; start nearer"):
        fit(residuals, {"size": 1.0, "rate": 1.0}, T, DATA, max_nfev=1)
