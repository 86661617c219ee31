"""Taylor coefficients of every sample, to order 3, against nested forward mode; and wrong
recurrences, each of which the samples find.
"""

import numpy as np
import pytest

import chainrules_tape
from chainrules_py.errors import NotDifferentiableError, NotImplementedTangentError
from chainrules_py.rulesets.formulas.recurrences import RECURRENCES
from chainrules_py.tangents import ZERO
from chainrules_py.testing import CheckFailure, check_series
from chainrules_py.values.identity import qualified_name
from chainrules_tape import LostGradientError
from chainrules_tape.core.levels import call_traced
from chainrules_tape.scipy import special
from chainrules_tape.series import coefficients
from chainrules_tape.series.level import Series
from sampled_calls import all_cases

CASES = all_cases()
FIRST = {(case.primal, case.dtype): case for case in reversed(CASES)}
# what else there is to a function, the tests of rules have seen
SOONER = {
    case
    for case in FIRST.values()
    if qualified_name(case.primal).startswith(("numpy.linalg.", "numpy.sum", "numpy.p", "numpy.t"))
}
# third derivatives of these are sums over all orders of two directions: a minute each
LATEST = ("sqrt-identity-2", "log-3x3-2-directions")


def mark_of(case):
    """When a sample is run."""
    if case in SOONER:
        return ()
    return pytest.mark.slow if any(part in case.name for part in LATEST) else pytest.mark.long


PARAMETERS = [pytest.param(case, marks=mark_of(case)) for case in CASES]

# Nested forward mode has none of these derivatives either:
# those of Bessel functions and their like by the order, of eigenvalues and singular values that are
# equal, and of functions of SciPy's whose own code wants plain numbers.
NO_DERIVATIVE = (NotImplementedTangentError, NotDifferentiableError, LostGradientError)


class Tape:
    """The tape, which computes each function on any level, also where NumPy does not hand it over."""

    jvp, taylor, call = map(
        staticmethod, (chainrules_tape.jvp, chainrules_tape.taylor, call_traced)
    )


@pytest.mark.kinds
@pytest.mark.parametrize(
    "case", PARAMETERS, ids=[case.name.removesuffix("-reverse") for case in CASES]
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_sample(case):
    try:
        settings = case.effective_settings()
        check_series(Tape, case.primal, *case.sample.args, settings=settings, **case.sample.options)
    except NO_DERIVATIVE as error:
        # raised by the nested derivative, which comes first; the series says so, too, or is right
        pytest.skip(f"no third derivative: {type(error).__name__}")


def coefficients_off(recurrence, factor):
    """A recurrence whose coefficients from t**2 on are wrong by a factor."""

    def wrong(k, y, *operands, times):
        found = recurrence.coefficient(k, y, *operands, times=times)
        return found if k < 2 or found is ZERO else found * factor

    return recurrence._replace(coefficient=wrong)


POINT = np.array([0.7, 1.3])
CALLS = {
    primal: (lambda x, f=primal: f(np.sin(x) + 1, x * x + 2))
    for primal in (np.add, np.subtract, np.multiply, np.divide)
} | {primal: (lambda x, f=primal: f(np.sin(x) + 1)) for primal in RECURRENCES if primal.nin == 1}
CALLS[np.power] = lambda x: (np.sin(x) + 1) ** 2.5


@pytest.mark.parametrize("primal", RECURRENCES)
def test_a_wrong_recurrence_is_found(primal, monkeypatch):
    check_series(chainrules_tape, CALLS[primal], POINT)
    monkeypatch.setitem(RECURRENCES, primal, coefficients_off(RECURRENCES[primal], 1 + 1e-6))
    with pytest.raises(CheckFailure, match="order 2") as caught:
        check_series(chainrules_tape, CALLS[primal], POINT)
    assert caught.value.check == "series"


STEPS = {
    "a shift without its factor": (
        coefficients.Shifted,
        lambda step, k, path, known: step.series[k + 1],
    ),
    "a derivative that is not divided": (
        coefficients.Derived,
        lambda step, k, path, known: (
            0.0 * known[0] if k > len(step._series(path)) else step._series(path)[k - 1]
        ),
    ),
    "a direction at each order": (
        coefficients.Given,
        lambda step, k, path, known: step.direction,
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_wrong_step_is_found(name, monkeypatch):
    step, wrong = STEPS[name]
    monkeypatch.setattr(step, "coefficient", wrong)
    with pytest.raises(CheckFailure):
        check_series(chainrules_tape, lambda x: np.arctan(x * np.sin(x)), POINT)


def test_a_memo_that_mixes_up_functions_is_found(monkeypatch):
    key = Series.key
    monkeypatch.setattr(Series, "key", lambda level, x: type(key(level, x)))
    with pytest.raises(CheckFailure):
        check_series(chainrules_tape, lambda x: special.polygamma(1, x), POINT)
