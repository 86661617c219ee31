"""The categories of `numpy.polynomial`; `test_newer_numpy` says which function is in none."""

import numpy as np

from chainrules_numpy.coverage import Coverage
from chainrules_numpy.series_coverage import (
    NO_RULE_YET,
    NOTHING_TO_DIFFERENTIATE,
    series_coverage,
    series_functions,
)
from chainrules_py import default_rules

LISTED = {**NOTHING_TO_DIFFERENTIATE, **NO_RULE_YET}


def test_what_is_listed_exists_and_has_no_rule():
    default_rules.load_all()
    functions = [
        (suffix, function) for _, suffix, function in series_functions() if suffix in LISTED
    ]
    assert {suffix for suffix, _ in functions} == set(LISTED)
    assert [
        function
        for _, function in functions
        if next(default_rules.rules(function), None) is not None
    ] == []


def test_most_have_a_rule():
    found = [classified.coverage for classified in series_coverage()]
    assert found.count(Coverage.RULE) > 3 * found.count(Coverage.MISSING)


# --- What is said to do instead does it ---


def test_interpolation_is_the_fit_at_its_points():
    module, degree = np.polynomial.chebyshev, 5
    points = module.chebpts1(degree + 1)
    np.testing.assert_allclose(
        module.chebfit(points, np.exp(points), degree), module.chebinterpolate(np.exp, degree)
    )
