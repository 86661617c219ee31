"""Every public name of SciPy's modules has a rule or a reason why it has none."""

import importlib
import re

import numpy as np
import pytest
import scipy
from scipy import fft, integrate, linalg, ndimage, optimize, signal, sparse, special, stats

import chainrules_tape.scipy
from chainrules_py import default_rules
from chainrules_py.rulesets.without_rules import reason_of, sections
from chainrules_tape import LostGradientError, grad, jvp, seen_through, vmap
from slopes import quotients

MISSING = "no rule yet"
MODULES = [name.removeprefix("scipy.") for name in sections()[MISSING] if name.startswith("scipy.")]


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_accounted_for(name):
    module = importlib.import_module(f"scipy.{name}")
    public = {
        name: getattr(module, name) for name in module.__all__ if callable(getattr(module, name))
    }
    listed = {each for each in public if reason_of(MISSING, f"scipy.{name}", each)}
    reasons = {public[name] for name in listed if name in public}
    assert [
        name
        for name, found in public.items()
        if not has_rule(found) and name not in listed and found not in reasons
    ] == []
    assert [name for name in listed if name in public and has_rule(public[name])] == []


def has_rule(found):
    """Whether a function has a rule, or a distribution, which is callable too, one for its density."""
    methods = (
        []
        if isinstance(found, type)
        else [getattr(type(found), name, None) for name in ("logpdf", "logpmf")]
    )
    return found in default_rules or any(
        method in default_rules for method in methods if method is not None
    )


X = np.array([0.3, -1.2, 2.0, 0.7])
PLAIN_CALLS = {
    "brentq of a closure": lambda a: optimize.brentq(lambda x: x * x - a, 0.0, 10.0),
    "brentq to a limit": lambda a: optimize.brentq(lambda x: x * x - 4.0, 0.0, a),
    "minimize of a closure": lambda a: optimize.minimize(lambda x: (x[0] - a) ** 2, [0.0]).x[0],
    "quad of a closure": lambda a: integrate.quad(lambda x: a * x, 0.0, 1.0)[0],
    "solve_ivp of a closure": (
        lambda a: integrate.solve_ivp(lambda t, y: a * y, (0.0, 1.0), [1.0]).y[0, -1]
    ),
    "fft": lambda a: np.sum(fft.dct(a * X)),
    "ndimage": lambda a: np.sum(ndimage.sobel(a * X)),
    "signal": lambda a: np.sum(signal.lfilter([1.0], [1.0, 0.5], a * X)),
    "special": lambda a: special.logsumexp(a * X),
    "stats": lambda a: stats.norm.logpdf(0.5, a),
    "sparse": lambda a: np.sum(sparse.linalg.spsolve(sparse.eye_array(4, format="csc"), a * X)),
}
if not scipy.__version__.startswith("1.16."):  # it asks for arrays in a module of no name
    PLAIN_CALLS["linalg"] = lambda a: np.sum(linalg.solve(np.eye(4), a * X))


MODULES_OF = {
    **dict.fromkeys(("brentq", "minimize"), " import optimize"),
    **dict.fromkeys(("quad", "solve_ivp"), " import integrate"),
    "sparse": ".sparse import linalg",
}


@pytest.mark.parametrize("name", PLAIN_CALLS)
def test_scipys_own_functions_name_the_module_to_import(name):
    module = name.partition(" ")[0]
    words = MODULES_OF.get(module, f" import {module}")
    with pytest.raises(LostGradientError, match=f"from chainrules_tape.scipy{words}"):
        grad(PLAIN_CALLS[name])(4.0)


PLAIN = {
    "fft": lambda m: m.dct(X),
    "linalg": lambda m: m.solve(np.eye(4), X),
    "special": lambda m: m.erf(X),
    "optimize": lambda m: [
        *m.linprog([1.0], bounds=(2.0, 3.0)).x,
        m.brentq(lambda x: x - 1.5, 0.0, 9.0, full_output=True)[1].root,
    ],
    "integrate": lambda m: m.solve_ivp(lambda t, y: -y, (0.0, 1.0), [1.0], dense_output=True).sol(
        0.5
    ),
    "interpolate": lambda m: m.CubicSpline(np.arange(4.0), X).c,
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_values_get_scipys_answer(name):
    ours, theirs = (
        importlib.import_module(f"{at}.{name}") for at in ("chainrules_tape.scipy", "scipy")
    )
    np.testing.assert_array_equal(PLAIN[name](ours), PLAIN[name](theirs))


WITHOUT_RULES = {
    "scipy.stats.weightedtau": lambda m, x: m.weightedtau(x, x[::-1])[0],
    "scipy.optimize.differential_evolution": lambda m, x: m.differential_evolution(
        lambda p: (p[0] - x[0]) ** 2, [(0.0, 2.0)], seed=0
    ).x[0],
    "scipy.spatial.ConvexHull": lambda m, x: m.ConvexHull(np.sin(x[:8].reshape(4, 2))).volume,
}


@pytest.mark.parametrize("name", WITHOUT_RULES)
def test_functions_without_a_rule_say_why(name):
    module, _, function = name.rpartition(".")
    reason = str(reason_of(MISSING, module, function))
    traced = importlib.import_module(f"chainrules_tape.{module}")
    with pytest.raises(LostGradientError) as caught:
        grad(lambda x: WITHOUT_RULES[name](traced, x))(np.arange(1.0, 10.0))
    assert name in str(caught.value)
    assert reason in str(caught.value)


OTHERS = np.linspace(0.2, 3.0, 10)
IN_SCOPE = {
    **{
        name: lambda x, name=name: np.sum(getattr(stats, name)(x) ** 3)
        for name in (
            *("gzscore", "gstd", "circmean", "kstat", "tmean", "tmin", "iqr", "lmoment"),
            *("median_abs_deviation", "differential_entropy"),
        )
    },
    **{
        name: lambda x, name=name: getattr(stats, name)(x, OTHERS)[0]
        for name in ("f_oneway", "levene", "bartlett", "theilslopes")
    },
    "zmap": lambda x: np.sum(stats.zmap(OTHERS, x) ** 2),
    "chisquare": lambda x: stats.chisquare(x)[0],
    "describe": lambda x: stats.describe(x).variance,
}


BY_SOURCE = {
    "sos2zpk": lambda m, x: m.signal.sos2zpk(x[None, :6])[2],
    "spectrogram": lambda m, x: m.signal.spectrogram(x, nperseg=4)[2],
    "sweep_poly": lambda m, x: m.signal.sweep_poly(x, np.poly1d([1.0, 2.0, 0.3])),
    "iqr": lambda m, x: m.stats.iqr(x),
    "wasserstein_distance": lambda m, x: m.stats.wasserstein_distance(OTHERS, x),
    "energy_distance": lambda m, x: m.stats.energy_distance(x, OTHERS),
    "expectile": lambda m, x: m.stats.expectile(x, 0.3),
    "sparse expm": lambda m, x: m.sparse.linalg.expm(x[:4].reshape(2, 2)),
}


@pytest.mark.parametrize("name", BY_SOURCE)
def test_functions_without_a_rule_run_by_their_own_source(name):
    def value(m, x):
        return np.sum(BY_SOURCE[name](m, x) ** 2)

    x = np.array([0.1, 0.7, 2.0, 0.4, 0.9, 1.3, 2.2, 0.6, 0.95, 1.1])
    slope = grad(lambda x: value(chainrules_tape.scipy, x))
    expected = quotients(lambda x: value(scipy, x), x)
    np.testing.assert_allclose(slope(x), expected, rtol=1e-6, atol=1e-8)
    along = jvp(slope, (x,), (OTHERS,))[1]
    steps = [slope(x + h * OTHERS) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose(along, (steps[0] - steps[1]) / 2e-6, rtol=1e-5, atol=1e-7)
    rows = np.stack([x, x[::-1] + 0.01])
    np.testing.assert_allclose(
        vmap(slope)(rows), [slope(row) for row in rows], rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("name", IN_SCOPE)
def test_functions_without_a_rule_run_in_the_scope_that_their_error_names(name):
    f, x = IN_SCOPE[name], np.array([0.1, 0.7, 2.0, 0.4, 0.9, 1.3, 2.2, 0.6, 0.95, 1.1])
    with pytest.raises(LostGradientError, match=re.escape('seen_through("scipy")')) as caught:
        grad(f)(x)
    assert str(reason_of(MISSING, "scipy.stats", name)) in str(caught.value)
    with seen_through("scipy"):
        found = grad(f)(x)
        _, slope = jvp(f, (x,), (OTHERS,))
    np.testing.assert_allclose(found, quotients(f, x), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(slope, found @ OTHERS, rtol=1e-9)
