"""In a scope of SciPy, our rules find SciPy's functions as they are outside of it."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import signal

from chainrules_py import default_rules
from chainrules_py.tangents.plain_containers import as_plain_container
from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.random_tangents import rand_tangent, seeded
from chainrules_tape import jvp, seen_through, vjp, vmap
from chainrules_tape.core.trees import flatten
from sampled_calls import cases_with_tangents, interceptable

default_rules.load_all()  # rules name SciPy's modules


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
    dots = tuple(as_plain_container(rand_tangent(rng, point), point) for point in points)
    y, pullback = vjp(function, *points)
    y_bar = as_plain_container(rand_tangent(rng, y), y)
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
