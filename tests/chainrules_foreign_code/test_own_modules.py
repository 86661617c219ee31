"""In a scope of SciPy, our rules find SciPy's functions as they are outside of it."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import integrate, interpolate, ndimage, signal

from chainrules_py import default_rules
from chainrules_py.tangents.plain_containers import as_plain_container
from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.random_tangents import random_tangent, seeded
from chainrules_tape import compiled, grad, hessian, jvp, seen_through, vjp, vmap
from chainrules_tape.core.trees import flatten
from sampled_calls import cases_with_tangents, interceptable

default_rules.load_all()  # rules name SciPy's modules
X = np.array([0.7, 0.3, 0.5, 0.85])

PROGRAMS = {
    "by tables of rules": lambda x: np.sum(
        signal.filtfilt([0.5], [1.0, -0.2], np.concatenate([x, x, x, x]) ** 2) ** 2
    ),
    "samples": lambda x: integrate.simpson(x * x, x=np.arange(4.0)) ** 2,
    "by its own name": lambda x: interpolate.make_interp_spline(np.arange(4.0), x * x)(1.3),
    "by its own class": lambda x: interpolate.PchipInterpolator(np.arange(4.0), x * x)(1.3),
    "with an adjoint": lambda x: integrate.odeint(
        lambda y, t: -x[0] * y, [x[1]], [0, 1.0], rtol=1e-10, atol=1e-12
    )[-1, 0],
    "compiled code": lambda x: np.sum(
        ndimage.map_coordinates(np.outer(x, x), [[0.5, 1.2], [0.3, 1.7]]) ** 2
    ),
    "sections": lambda x: np.sum(signal.sosfilt([[0.5, 0.1, 0.1, 1.0, -0.2, 0.1]], x * x) ** 2),
    "resampled": lambda x: np.sum(signal.resample(x * x, 6) ** 2),
    "coefficients": lambda x: np.sum(signal.cspline1d(np.concatenate([x, x * x])) ** 2),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_in_the_scope_at_every_order(name):
    f = PROGRAMS[name]
    steps = 1e-6 * np.eye(4)
    expected = np.array([(f(X + step) - f(X - step)) / 2e-6 for step in steps])
    other = np.array([(f(0.9 * X + step) - f(0.9 * X - step)) / 2e-6 for step in steps])
    with seen_through("scipy"):
        np.testing.assert_allclose(grad(f)(X), expected, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(
            jvp(f, (X,), (np.ones(4),))[1], np.sum(expected), rtol=1e-6, atol=1e-8
        )
        turns = [(grad(f)(X + step) - grad(f)(X - step)) / 2e-6 for step in steps]
        np.testing.assert_allclose(hessian(f)(X), turns, rtol=1e-5, atol=1e-6)
        slope = compiled(grad(f))
        for _ in range(3):
            np.testing.assert_allclose(slope(X), expected, rtol=1e-6, atol=1e-8)
        if name != "with an adjoint":  # its steps differ from lane to lane
            slopes = vmap(grad(f))(np.stack([X, 0.9 * X]))
            np.testing.assert_allclose(slopes, [expected, other], rtol=1e-6, atol=1e-8)


def is_scipys(case):
    module = getattr(case.primal, "__module__", None) or ""
    return module.startswith(("scipy.", "chainrules_py.rulesets.scipy."))


CASES = [
    case
    for case in cases_with_tangents()
    if is_scipys(case) and not isinstance(case.primal, np.ufunc)
]


def results(case):
    """The derivatives of a sample by both modes, of second order, and of two lanes."""
    primal, args, options = case.settings.rules.canonical(
        case.primal, case.sample.args, dict(case.sample.options)
    )
    fixed = case.effective_settings().fixed
    chosen = [i for i, arg in enumerate(args) if Layout((arg,)).size and i not in fixed]
    called, points = interceptable(primal), tuple(args[i] for i in chosen)

    def function(*values):
        replaced = dict(zip(chosen, values, strict=True))
        return called(*(replaced.get(i, arg) for i, arg in enumerate(args)), **options)

    def slopes(*values):
        return vjp(function, *values)[1](y_bar)

    rng = seeded(case.name, seed=0)
    dots = tuple(as_plain_container(random_tangent(rng, point), point) for point in points)
    y, pullback = vjp(function, *points)
    y_bar = as_plain_container(random_tangent(rng, y), y)
    found = {"vjp": (y, pullback(y_bar)), "jvp": jvp(function, points, dots)}
    ways = {"second": lambda: jvp(slopes, points, dots)}
    if all(type(point) is np.ndarray for point in points):
        ways["lanes"] = lambda: vmap(slopes)(*(np.stack([point, point]) for point in points))
    for way, compute in ways.items():
        try:
            found[way] = compute()
        except Exception as error:  # refused outside, too
            found[way] = type(error).__name__
    return {way: flatten(value)[0] for way, value in found.items()}


@pytest.mark.kinds
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "case",
    CASES,
    ids=[case.name for case in CASES],
)
def test_samples_of_scipy_s_functions_are_the_same_in_the_scope(case):
    expected = results(case)
    with seen_through("scipy"):
        found = results(case)
    assert found.keys() == expected.keys()
    for way, values in expected.items():
        assert len(found[way]) == len(values)
        for one, other in zip(found[way], values, strict=True):
            assert type(one) is type(other)
            if isinstance(other, np.ndarray | float | complex):
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_our_modules_are_as_they_were_afterwards():
    module = sys.modules["chainrules_py.rulesets.scipy.signal.recursive_filters"]
    with seen_through("scipy"):
        assert module.signal is not signal
        assert module.signal.filtfilt is not signal.filtfilt
        assert signal.filtfilt.__wrapped__ is module.signal.filtfilt
    assert module.signal is signal


LATE = """
import sys
import scipy.special
from chainrules_tape import grad, seen_through
with seen_through("scipy"):
    import scipy.stats
    print(grad(lambda m: scipy.stats.norm.logpdf(0.3, m, 1.0))(0.1))
for name, module in sys.modules.items():
    if name.startswith("chainrules_py."):
        for key, found in vars(module).items():
            assert not getattr(found, "__name__", "").startswith("chainrules_tape.scipy"), (name, key)
            assert type(found).__name__ != "AsOutside", (name, key)
"""


def test_modules_of_ours_that_are_imported_in_a_scope():
    run = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert abs(float(run.stdout) - 0.2) < 1e-12
