"""Uncertain numbers agree with the package `uncertainties`, whose figures these are (3.2.3), and with
sampling.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy import linalg, special

# with x = 2.0(1), y = 3.0(2)
OF_UNCERTAINTIES = [
    ("x ** 2", 0.4),
    ("x - x", 0.0),
    ("2 * x + 1000", 0.2),
    ("sin(x ** 2)", 0.26145744834544477),
    ("x * y", 0.5),
    ("x / y + sqrt(x)", 0.08181346073258103),
    ("x ** y", 1.634001136973471),
    ("(x + y) / (x - y)", 1.0),
    ("exp(-x * y)", 0.0012393760883331792),
    ("log(x) * arctan2(y, x)", 0.039413072720401815),
    ("abs(x - y)", 0.223606797749979),
    ("hypot(x, y)", 0.1754116038614059),
    ("square(x) - 3.0 * x * y", 1.3),
    ("cosh(x) - sinh(y)", 2.0459359439213145),
    ("arcsin(x / 10)", 0.010206207261596578),
    ("degrees(x) + y", 5.733067547144151),
    ("1 / (1 / x + 1 / y)", 0.04816637831516919),
    ("expm1(x) * log1p(y)", 1.0729976347129102),
    ("x % 3.0 + y", 0.223606797749979),
    ("arctan(y) ** x", 0.060826360248732815),
]


@pytest.fixture
def engine(load, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[3] / "examples" / "engines")
    return load("engines/uncertain")


@pytest.mark.parametrize(("expression", "std"), OF_UNCERTAINTIES)
def test_deviations_as_another_package_has_them(engine, expression, std):
    x, y = engine.uncertain(2.0, 0.1), engine.uncertain(3.0, 0.2)
    found = eval(expression, vars(np) | {"x": x, "y": y})
    np.testing.assert_allclose(found.std, std, rtol=1e-12)


COVARIANCE = 1e-6 * np.array([[1.0, 0.5, 0.0], [0.5, 2.0, 0.1], [0.0, 0.1, 3.0]])
PROGRAMS = {
    "a product": lambda v, call: v[0] * v[1] - v[2],
    "a norm": lambda v, call: np.linalg.norm(v) ** 3,
    "a solve": lambda v, call: np.linalg.solve(np.outer(v, v) + np.eye(3), v),
    "a matrix function": lambda v, call: call(linalg.expm, (np.outer(v, v) / 9,), {})[0],
    "a loop": lambda v, call: [v := np.sin(v[::-1]) * special.erf(v) for _ in range(5)][-1],
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_covariances_are_those_of_samples(engine, program):
    f, mean = PROGRAMS[program], np.array([1.0, 2.0, 0.5])
    found = f(engine.uncertain(mean, covariance=COVARIANCE), engine.call)
    drawn = np.random.default_rng(1).multivariate_normal(mean, COVARIANCE, 4_000)
    sampled = np.cov([f(v, lambda g, args, _: g(*args)) for v in drawn], rowvar=False)
    np.testing.assert_allclose(found.covariance(), sampled, atol=0.1 * np.max(np.abs(sampled)))


def test_what_is_said(engine):
    x, y = engine.uncertain(1.2344, 0.056, name="x"), engine.uncertain(1234.0, 56.0, name="y")
    said = "1.234(56) 1234(56) 0.0(0) 12340(560) [1.234(56), 1.234(56)]"
    assert " ".join(map(str, (x, y, x - x, 10 * y, np.stack([x, x])))) == said
    np.testing.assert_allclose((x + y).budget()["y"], 56**2 / (56**2 + 0.056**2))
    assert x.covariance(y) == 0
    np.testing.assert_allclose(x.covariance(3 * x), 3 * 0.056**2)
