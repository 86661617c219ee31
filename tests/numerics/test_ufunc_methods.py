"""Rules of `reduce`, `accumulate` and `reduceat` of ufuncs."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, frule, rrule
from chainrules_py.values.identity import qualified_name


def test_one_cotangent_and_one_tangent_per_positional_argument():
    x, indices, y_bar = np.array([1.0, 2.0, 4.0]), np.array([0, 1]), np.array([10.0, 100.0])
    x_bar, indices_bar = rrule(np.add.reduceat, x, indices)[1](y_bar)
    assert indices_bar is NO_TANGENT
    np.testing.assert_array_equal(x_bar, [10.0, 100.0, 100.0])
    np.testing.assert_array_equal(
        frule((x, NO_TANGENT), np.add.reduceat, x, indices)[1], [1.0, 6.0]
    )


def test_options_by_position_are_those_by_name():
    x, y_bar = np.array([[1.0, 2.0], [4.0, 3.0]]), np.array([1.0, 10.0])
    for method, args in (
        (np.logaddexp.reduce, ()),
        (np.add.reduce, ()),
        (np.maximum.reduceat, ([0],)),
    ):
        bars = rrule(method, x, *args, 1, None)[1](y_bar[:, None] if args else y_bar)
        expected = rrule(method, x, *args, axis=1)[1](y_bar[:, None] if args else y_bar)
        np.testing.assert_array_equal(bars[0], expected[0])


def test_methods_go_by_the_name_that_people_write():
    assert qualified_name(np.maximum.accumulate) == "numpy.maximum.accumulate"
    assert qualified_name(np.ufunc.outer) == "numpy.ufunc.outer"


def test_more_options_than_there_are_raise():
    with pytest.raises(TypeError, match="axis dtype out"):
        rrule(np.maximum.accumulate, np.ones(2), 0, None, None, 1)
