"""The rules of linear interpolation hold between the points, outside of them, and at a single one."""

import numpy as np

from chainrules_py import rrule


def test_outside_without_an_end_value_the_outermost_value_counts():
    x_bar, points_bar, fp_bar = rrule(np.interp, np.array([-1.0, 9.0]), np.arange(3.0), np.ones(3))[
        1
    ](np.array([2.0, 5.0]))
    np.testing.assert_array_equal(fp_bar, [2.0, 0.0, 5.0])
    np.testing.assert_array_equal(x_bar, [0.0, 0.0])
    np.testing.assert_array_equal(points_bar, [0.0, 0.0, 0.0])


def test_shifting_x_and_the_points_together_changes_nothing():
    x, points, values = (
        np.array([0.3, 1.9, 2.2]),
        np.array([0.0, 1.0, 2.5]),
        np.array([1.0, -2.0, 4.0]),
    )
    x_bar, points_bar, _ = rrule(np.interp, x, points, values)[1](np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(x_bar.sum() + points_bar.sum(), 0.0, atol=1e-14)


def test_one_point_is_a_constant():
    x_bar, points_bar, fp_bar = rrule(
        np.interp, np.array([0.0, 5.0]), np.array([1.0]), np.array([7.0])
    )[1](np.ones(2))
    assert (fp_bar.tolist(), x_bar.tolist(), points_bar.tolist()) == ([2.0], [0.0, 0.0], [0.0])
