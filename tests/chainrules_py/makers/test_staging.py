"""A stage is one formula, with and without a closure."""

import numpy as np

from chainrules_py import default_rules
from chainrules_py.makers.staging import closed
from chainrules_py.tangents import NO_TANGENT

X = np.arange(6.0).reshape(2, 3)


def doubled_stage(x, *, by=2.0):
    def pull(residuals, y_bar):
        return (residuals[0] * y_bar,)

    return by * x, pull, (by,)


def test_a_stage_makes_a_rule():
    rule = closed(doubled_stage)
    y, pullback = rule(3.0, by=4.0)
    assert (y, pullback(2.0)) == (12.0, (8.0,))
    assert rule.stage is doubled_stage


def divided_stage(x):
    def pull(residuals, y_bar):
        return (y_bar / residuals[0],)

    pull.careful = lambda residuals, y_bar: (np.where(y_bar == 0, 0.0, np.inf),)
    return np.log(x), pull, (x,)


def test_a_rule_that_multiplies_is_careful_where_zero_meets_infinity():
    zero_and_one = np.array([0.0, 1.0])
    with np.errstate(divide="ignore", invalid="ignore"):
        strict = closed(divided_stage, multiplies=True)
        assert strict(np.zeros(2))[1](zero_and_one)[0].tolist() == [0.0, np.inf]
        # the quick one: nothing raises
        assert strict(np.ones(2))[1](zero_and_one)[0].tolist() == [0.0, 1.0]
        assert np.isnan(closed(divided_stage)(np.zeros(2))[1](zero_and_one)[0][0])


def test_what_is_not_needed_is_not_kept():
    rule = default_rules.find("reverse", np.matmul, (np.ndarray, np.ndarray), (True, False))
    y, pull, residuals = rule.stage(X, X.T)
    assert [part for part in residuals if isinstance(part, np.ndarray)] == [residuals[2]]
    assert residuals[2].shape == (3, 2)
    assert pull(residuals, y)[1] is NO_TANGENT
