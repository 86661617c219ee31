"""A trial says of a call whether it is differentiated as it stands, and what is in the way."""

import pickle

import numpy as np
import pytest

from chainrules_foreign_code.report import is_real, report, tried
from chainrules_tape import LostGradientError, seen_through
from remembered import call_of
from sampled_calls import all_cases, has_tangents


def test_arrays_and_several_results():
    assert tried(lambda x, y: ({"a": np.sin(x) * y}, [x]), [np.array([1.0, 2.0]), 3.0], []).is_right
    assert tried(lambda x: x * x, [np.array([1.0, 2.0])], []).is_right


def test_the_first_obstacle_is_named():
    def f(x):
        return np.sum(x) + np.frombuffer(pickle.dumps(x))

    (found,) = tried(f, [np.array([0.7, 1.0])], []).obstacles
    line = f.__code__.co_firstlineno + 1
    assert found == ("pickling or copying x", __file__, line)


def test_an_iteration_that_compares():
    def bisection(a):
        low, high = 0.0, 2.0
        while high - low > 1e-12:
            middle = (low + high) / 2
            low, high = (middle, high) if middle * middle < a else (low, middle)
        return low + 0 * a

    trial = tried(seen_through(bisection), [2.0], [])
    assert isinstance(trial.error, LostGradientError)
    assert "implicit_function" in report(trial)


def logistic(x, rounds):
    for _ in range(rounds):
        x = 3.9 * x * (1.0 - x)
    return x


def test_a_chaotic_map_is_not_suspected():
    """Its slopes are large, and only differences of tiny steps find them, or none do."""
    few = tried(lambda x: logistic(x, 16), [0.3], [])
    assert few.is_right
    many = tried(lambda x: logistic(x, 80), [0.3], [])
    assert many.is_undecided
    assert "chaotic" in report(many)
    assert "implicit_function" not in report(many)


def sampled_trials():
    """A call without options of each public function with a rule that is differentiated by all of
    its real arguments.
    """
    found = {}
    for case in all_cases():
        place, args, options, chosen = call_of(case) or (None, (), {}, ())
        real = [position for position, arg in enumerate(args) if is_real(arg)]
        if place is not None and not options and real == chosen and has_tangents(case):
            found.setdefault(".".join(place), (case.primal, args))
    return found


TRIALS = sampled_trials()
MATRICES = [name for name in TRIALS if ".linalg." in name or "spatial" in name]


@pytest.mark.one_in(3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in MATRICES else pytest.mark.long) for name in TRIALS],
)
def test_no_supported_call_is_refused(name):
    function, args = TRIALS[name]
    trial = tried(function, args, [name.partition(".")[0]])
    assert trial.error is None
    assert trial.is_right or trial.is_undecided
