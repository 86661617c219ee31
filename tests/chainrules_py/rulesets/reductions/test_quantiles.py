"""The rules of medians and quantiles hold for each method, share between equal entries, and refuse
other methods.
"""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, frule, rrule
from chainrules_py.rulesets.reductions.quantiles import CONTINUOUS, DISCRETE

# --- In the level ---

KINKED = np.array([1.0, 2.0, 4.0])


LEVELS = {
    "the ends": [0.0, 1.0],
    "entries of some methods": [0.1, 0.2, 0.25, 0.3, 0.5, 0.6, 0.75, 0.9, 1 / 6, 2 / 3],
    "between entries": [0.13, 0.37, 0.58, 0.91],
}


def slopes_on_both_sides(f, q):
    """The one-sided difference quotients of NumPy's function, of which there is one at the first
    and at the last level.
    """
    step = 1e-7
    right = [(f(q + step) - f(q)) / step] if q < 1 else []
    left = [(f(q) - f(q - step)) / step] if q > 0 else []
    return left + right


@pytest.mark.parametrize("method", [*CONTINUOUS, *DISCRETE])
@pytest.mark.parametrize("levels", LEVELS.values(), ids=LEVELS)
@pytest.mark.parametrize("function", [np.quantile, np.nanquantile, np.percentile, np.nanpercentile])
def test_the_derivative_in_the_level_is_between_the_one_sided_slopes(function, method, levels):
    x = np.array([11.0, 1.0, 13.0, 2.0, 5.0])
    unit = 100.0 if "percentile" in function.__name__ else 1.0
    for q in levels:
        slopes = slopes_on_both_sides(lambda q: np.quantile(x, q, method=method), q)
        if max(map(abs, slopes)) > 1e6:  # a step, where the method is one of entries
            slopes = [0.0]
        backward = unit * rrule(function, x, q * unit, method=method)[1](np.float64(1.0))[1]
        _, forward = frule((NO_TANGENT, unit), function, x, q * unit, method=method)
        assert min(slopes) - 1e-5 <= backward <= max(slopes) + 1e-5, (q, slopes)
        assert forward == pytest.approx(backward)


def test_levels_in_a_list():
    x_bar, q_bar = rrule(np.percentile, KINKED, [25, 75.0])[1](np.ones(2))
    np.testing.assert_allclose(x_bar, [0.5, 1.0, 0.5])
    assert [*q_bar] == [NO_TANGENT, pytest.approx(0.04)]
