"""Options of a rule: defaults from the primal, None for absent ones."""

import numpy as np
import pytest

from chainrules_py import LinearMap, RuleTable, linearised_rule
from chainrules_py.errors import OptionError
from chainrules_py.rulesets.scipy import options


def scaled(x, *, factor=3.0, shift=0.0, newer=None):
    return factor * x + shift


@pytest.fixture
def table():
    """A table with a rule of `scaled` that knows its factor and its shift, and one that is gone."""
    made = RuleTable()

    @linearised_rule(scaled, table=made)
    @options.with_options(scaled, "factor shift older")
    def scaled_linearised(x: np.ndarray, *, options, out, xp) -> LinearMap:
        """Multiplication by the factor."""
        assert out.shape == x.shape
        assert options.older is None
        assert set(options) == {"factor", "shift"}
        return LinearMap(lambda dot: options.factor * dot, lambda bar: options.factor * bar)

    return made


def test_what_a_call_leaves_out_has_the_default_of_the_primal(table):
    y, pullback = table.rrule(scaled, np.ones(2))
    np.testing.assert_array_equal(y, [3.0, 3.0])
    np.testing.assert_array_equal(pullback(np.ones(2))[0], [3.0, 3.0])


def test_an_option_that_is_given_reaches_the_rule(table):
    y, y_dot = table.frule((np.ones(2),), scaled, np.ones(2), factor=5.0, shift=1.0)
    np.testing.assert_array_equal(y, [6.0, 6.0])
    np.testing.assert_array_equal(y_dot, [5.0, 5.0])


def test_an_option_that_the_rule_does_not_know_is_refused(table):
    with pytest.raises(OptionError) as caught:
        table.rrule(scaled, np.ones(2), newer=1)
    assert caught.value.option == "newer"
    assert "the rule takes factor, shift" in str(caught.value)


def test_the_rule_is_described_by_its_options_and_its_own_place(table):
    (rule,) = [each for each in table.rules() if each.mode == "reverse"]
    assert rule.options == {"factor", "shift"}
    assert "test_options.py" in rule.where
