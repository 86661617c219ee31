"""`gaussian_kde` by its sample, weights, width and points: SciPy's values, and finite differences
of them.
"""

import numpy as np
import pytest
from scipy import stats as scipys

from chainrules_py.errors import OptionError
from chainrules_tape import grad, jacobian, seen_through, vjp
from chainrules_tape.scipy import stats as ours
from slopes import quotients

RNG = np.random.default_rng(5)
LINE, PLANE, WEIGHTS = RNG.normal(size=8), RNG.normal(size=(2, 8)), RNG.uniform(0.5, 1.5, 8)
POINTS = RNG.normal(size=(2, 3))
CALLS = {
    "of a line": (lambda m, s, p: m.gaussian_kde(s)(p), LINE, POINTS[0]),
    "at a number": (lambda m, s, p: m.gaussian_kde(s).pdf(p[0]), LINE, POINTS[0]),
    "logarithm": (lambda m, s, p: m.gaussian_kde(s, "silverman").logpdf(p), LINE, POINTS[0]),
    "of a plane": (lambda m, s, p: m.gaussian_kde(s).evaluate(p), PLANE, POINTS),
    "at one point of a plane": (lambda m, s, p: m.gaussian_kde(s)(p[:, 0]), PLANE, POINTS),
    "weighted": (lambda m, s, p: m.gaussian_kde(s, weights=WEIGHTS)(p), PLANE, POINTS),
    "by the weights": (lambda m, s, p: m.gaussian_kde(LINE, "scott", s)(p), WEIGHTS, POINTS[0]),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_and_derivatives(name):
    call, sample, points = CALLS[name]
    for ours_at, scipys_at, x in (
        (lambda s: call(ours, s, points), lambda s: call(scipys, s, points), sample),
        (lambda p: call(ours, sample, p), lambda p: call(scipys, sample, p), points),
    ):
        np.testing.assert_allclose(vjp(ours_at, x)[0], scipys_at(x), rtol=1e-9)
        slope = jacobian(ours_at)(x)
        np.testing.assert_allclose(
            slope, quotients(scipys_at, x).reshape(slope.shape), rtol=1e-5, atol=1e-8
        )


def test_the_width():
    at = lambda module, width: module.gaussian_kde(LINE, width).logpdf(POINTS[0]).sum()  # noqa: E731
    assert np.isclose(
        grad(lambda w: at(ours, w))(0.4), (at(scipys, 0.4 + 1e-6) - at(scipys, 0.4 - 1e-6)) / 2e-6
    )


def test_what_is_refused():
    with pytest.raises(OptionError, match="logpdf"):
        grad(lambda s: ours.gaussian_kde(s).integrate_box_1d(0.0, 1.0))(LINE)


def density(sample):
    return scipys.gaussian_kde(sample)(0.3)[0]


def test_in_the_scope():
    with seen_through(__name__):
        found = grad(density)(LINE)
    np.testing.assert_allclose(found, quotients(density, LINE), rtol=1e-5, atol=1e-8)
