"""The rules of `where` and `clip` hold in all call forms, at ties, and for infinite cotangents."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, frule, rrule


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


@pytest.mark.parametrize(
    ("options", "expected"), [({"min": 0.0}, [0.0, 1.0]), ({"max": 0.0}, [1.0, 0.0])]
)
def test_clip_with_one_bound(options, expected):
    y, pullback = rrule(np.clip, np.array([-2.0, 2.0]), **options)
    np.testing.assert_array_equal(pullback(np.ones(2))[0], expected)


def test_method_clip():
    y, pullback = rrule(np.array([-2.0, 0.5]).clip, 0.0, 1.0)
    np.testing.assert_array_equal(pullback(np.ones(2))[0], [0.0, 1.0])


def test_clip_upper_bound_wins_where_the_bounds_cross():
    a_bar, min_bar, max_bar = rrule(np.clip, np.array([0.0]), np.array([2.0]), np.array([1.0]))[1](
        np.ones(1)
    )
    assert (a_bar[0], min_bar[0], max_bar[0]) == (0.0, 0.0, 1.0)


def test_clip_forward_is_adjoint_to_reverse_at_ties():
    y, y_dot = frule((np.array([1.0, 1.0]), ZERO, ZERO), np.clip, np.array([0.0, 1.0]), 0.0, 1.0)
    np.testing.assert_array_equal(y_dot, [0.5, 0.5])
