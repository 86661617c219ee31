"""The rules of `where` and `clip` hold in all call forms, at ties, and for infinite cotangents."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, rrule


def test_where_keeps_what_was_not_taken_at_zero_even_for_an_infinite_cotangent():
    condition_bar, x_bar, y_bar = rrule(np.where, np.array([True, False]), np.ones(2), 0.0)[1](
        np.array([np.inf, np.nan])
    )
    assert condition_bar is NO_TANGENT
    np.testing.assert_array_equal(x_bar, [np.inf, 0.0])


@pytest.mark.parametrize(
    ("args", "options"),
    [
        *(((-1.0, 1.0), {}), ((-1.0,), {"a_max": 1.0})),
        *(((), {"a_min": -1.0, "a_max": 1.0}), ((-1.0,), {"max": 1.0})),
        *(((), {"min": -1.0, "max": 1.0}), ((), {"max": 1.0, "min": -1.0})),
    ],
)
def test_clip_in_all_call_forms(args, options):
    x = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    y, pullback = rrule(np.clip, x, *args, **options)
    np.testing.assert_array_equal(y, [-1.0, -1.0, 0.0, 1.0, 1.0])
    np.testing.assert_array_equal(pullback(np.ones(5))[0], [0.0, 0.5, 1.0, 0.5, 0.0])


def test_method_clip():
    y, pullback = rrule(np.array([-2.0, 0.5]).clip, 0.0, 1.0)
    np.testing.assert_array_equal(pullback(np.ones(2))[0], [0.0, 1.0])
