"""Rules of evenly spaced numbers."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, rrule
from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_rules

load_shipped()


@parametrize_rules(np.linspace, np.logspace, np.geomspace)
def test_spacing(case):
    case.run()


@pytest.mark.parametrize("primal", [np.linspace, np.logspace, np.geomspace])
def test_the_last_sample_is_the_end(primal):
    start_bar, stop_bar = rrule(primal, 0.5, 2.0, num=4)[1](np.array([0.0, 0.0, 0.0, 1.0]))
    assert start_bar == 0.0
    assert stop_bar == pytest.approx(1.0 if primal is not np.logspace else 100.0 * np.log(10.0))


def test_integer_ends_have_no_tangent():
    assert rrule(np.linspace, 0, 1, num=3)[1](np.ones(3)) == (NO_TANGENT, NO_TANGENT)
