"""Tests for normal samples, expectiles and Siegel's slopes: SciPy's values, and their differences."""

import numpy as np
import pytest
from scipy import stats as scipys

from chainrules_tape import grad, jacobian, seen_through, vjp, vmap
from chainrules_tape.scipy import stats as ours
from slopes import quotients

RNG = np.random.default_rng(5)
ONE, ROWS = RNG.gamma(2.0, size=21), RNG.gamma(2.0, size=(3, 20))
OTHER = RNG.normal(size=21)
TIED = np.round(OTHER)  # points above one another
INNER = np.where((ONE > ONE.min()) & (ONE < ONE.max()), 1.0, 0.0)
CALLS = {
    "skewtest": (lambda m, x: m.skewtest(x), ONE),
    "skewtest of rows": (lambda m, x: m.skewtest(x, 1, alternative="less"), ROWS),
    "skewtest without nan": (
        lambda m, x: m.skewtest(np.where(np.arange(21) == 4, np.nan, x), nan_policy="omit"),
        ONE,
    ),
    "kurtosistest": (lambda m, x: m.kurtosistest(x), ONE),
    "kurtosistest of all": (
        lambda m, x: m.kurtosistest(x, axis=None, alternative="greater"),
        ROWS,
    ),
    "normaltest": (lambda m, x: m.normaltest(x, axis=1), ROWS),
    "jarque_bera": (lambda m, x: m.jarque_bera(x), ROWS),
    "jarque_bera of rows": (lambda m, x: m.jarque_bera(x, axis=1), ROWS),
    "siegelslopes": (lambda m, x: m.siegelslopes(x), ONE),
    "siegelslopes by x": (lambda m, x: m.siegelslopes(OTHER, x), ONE),
    "siegelslopes, separate": (lambda m, x: m.siegelslopes(x, TIED, "separate"), ONE),
    **{
        f"expectile {alpha}": (lambda m, x, alpha=alpha: (m.expectile(x, alpha),), ONE)
        for alpha in (0.0, 0.1, 0.5, 0.8, 1.0)
    },
    **{
        f"expectile {alpha} of no weight": (
            lambda m, x, alpha=alpha: (m.expectile(x, alpha, weights=INNER),),
            ONE,
        )
        for alpha in (0.0, 0.3, 1.0)
    },
    "expectile of weights": (lambda m, x: (m.expectile(OTHER, 0.3, weights=x),), ONE),
    "expectile with weights": (lambda m, x: (m.expectile(x, 0.7, weights=ROWS),), ROWS**2),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_and_derivatives(name):
    call, x = CALLS[name]
    for place, value in enumerate(call(scipys, x)):

        def at(module, x, place=place):
            return call(module, x)[place]

        found = vjp(lambda x, at=at: at(ours, x), x)[0]
        np.testing.assert_allclose(found, value, rtol=1e-9)
        slope = jacobian(lambda x, at=at: at(ours, x))(x)
        wanted = quotients(lambda x, at=at: at(scipys, x), x).reshape(slope.shape)
        np.testing.assert_allclose(slope, wanted, rtol=2e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["skewtest", "kurtosistest", "siegelslopes", "expectile 0.8"])
def test_many_samples_at_once(name):
    def slope(x):
        return grad(lambda x: CALLS[name][0](ours, x)[0])(x)

    samples = np.stack([ONE, OTHER, ONE * OTHER])
    np.testing.assert_allclose(vmap(slope)(samples), [slope(x) for x in samples], rtol=1e-10)


def test_in_the_scope():
    def both(x):
        return scipys.normaltest(x).statistic + scipys.expectile(x, 0.9)

    with seen_through(__name__):
        slope = grad(both)(ONE)
    np.testing.assert_allclose(slope, quotients(both, ONE), rtol=1e-5)


def test_a_level_out_of_range_is_refused_as_scipy_does():
    for module in (ours, scipys):
        with pytest.raises(ValueError, match="alpha"):
            grad(lambda x, module=module: module.expectile(x, 1.5))(ONE)
