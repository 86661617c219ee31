"""A call under check is described in a line, whatever its arguments are."""

import numpy as np
import pytest
from scipy import stats

from chainrules_py.testing import Settings
from chainrules_py.testing.trial import describe_value
from chainrules_py.testing.verification import trial_of_rules

X = np.linspace(0.5, 1.5, 6).reshape(2, 3)


@pytest.mark.parametrize(
    ("value", "start"),
    [
        (stats.binom, "<scipy.stats._discrete_distns.binom_gen object at 0x"),
        ([X] * 50, "list(0: float64[2,3], 1: float64[2,3], "),
        ("long " * 100, "'long long "),
        ("two\nlines", "'two\\nlines'"),
        ((X, 2.0), "tuple(0: float64[2,3], 1: float 2)"),
    ],
)
def test_a_value_is_described_in_a_line(value, start):
    described = describe_value(value)
    assert described.startswith(start)
    assert len(described.splitlines()) == 1
    assert len(described) <= 120


def test_options_are_described_in_a_line():
    trial = trial_of_rules(np.sum, (X,), {"where": np.ones((2, 3), bool)}, Settings())
    assert trial.describe() == (
        "numpy.sum(a: float64[2,3], where=array([[ True, True, True], [ True, True, True]]))"
    )
