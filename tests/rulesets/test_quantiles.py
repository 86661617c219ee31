"""The rules of medians and quantiles hold for each method, share between equal entries, and refuse other methods."""

import numpy as np
import pytest

from chainrules_py import OptionError, rrule
from chainrules_py.rulesets.quantiles import CONTINUOUS, DISCRETE
from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_rules

load_shipped()


@parametrize_rules(np.median, np.nanmedian, np.quantile, np.nanquantile, np.percentile, np.nanpercentile)
def test_rules(case):
    case.run()


@pytest.mark.parametrize("method", [*CONTINUOUS, *DISCRETE])
@pytest.mark.parametrize("q", [0.0, 0.25, 0.5, 0.77, 1.0])
def test_the_weights_reproduce_the_quantile(method, q):
    """A quantile is homogeneous of degree one: its gradient times the entries is itself."""
    x = np.random.default_rng(1).permutation(np.arange(1.0, 9.0))
    y, pullback = rrule(np.quantile, x, q, method=method, needs=(True, False))
    (x_bar, _) = pullback(np.float64(1.0))
    np.testing.assert_allclose(x_bar @ x, y)
    np.testing.assert_allclose(x_bar.sum(), 1.0)


def test_a_method_without_a_rule_is_refused_by_name():
    with pytest.raises(OptionError) as caught:
        rrule(np.quantile, np.arange(4.0), 0.5, method="closest_observation")
    assert (caught.value.option, caught.value.value) == ("method", "closest_observation")


def test_median_shares_between_equal_entries():
    (x_bar,) = rrule(np.median, np.array([2.0, 1.0, 2.0, 2.0, 5.0]))[1](np.float64(1.0))
    np.testing.assert_allclose(x_bar, [1 / 3, 0.0, 1 / 3, 1 / 3, 0.0])


def test_nothing_flows_into_a_nan():
    (x_bar,) = rrule(np.nanmedian, np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 2.0]]), axis=1)[1](np.ones(2))
    np.testing.assert_allclose(x_bar, [[0.5, 0.0, 0.5], [0.0, 0.0, 1.0]])


def test_percentiles_are_quantiles_in_other_units():
    x = np.array([3.0, 1.0, 4.0, 1.5])
    bars = rrule(np.percentile, x, 40.0)[1](np.float64(1.0)), rrule(np.quantile, x, 0.4)[1](np.float64(1.0))
    np.testing.assert_allclose(bars[0][0], bars[1][0])
    np.testing.assert_allclose(100 * bars[0][1], bars[1][1])
