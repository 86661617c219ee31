"""Rules of choosing among arrays."""

import numpy as np
import pytest

from chainrules_py import rrule
from chainrules_tape import grad, hessian, numpy as tnp, vjp, vmap


def test_nan_where_it_was_not_chosen_stays_out():
    choices_bar = rrule(
        np.choose, np.array([0, 1]), [np.array([1.0, np.nan]), np.array([np.nan, 2.0])]
    )[1](np.ones(2))[1]
    np.testing.assert_array_equal([*choices_bar], [[1.0, 0.0], [0.0, 1.0]])


def test_what_is_selected_otherwise_may_be_all_that_is_traced():
    conditions = [np.array([True, False, True])]

    def sums(default):
        return np.sum(tnp.select(conditions, [np.ones(3)], default) ** 2)

    defaults = np.array([3.0, -1.0])
    assert np.array_equal(vmap(grad(sums))(defaults), 2 * defaults)
    assert np.array_equal(grad(grad(lambda d: sums(d) * d))(3.0), 6.0 * 3.0)
    assert np.array_equal(hessian(sums)(3.0), 2.0)


@pytest.mark.parametrize("choice", [2.5, 1, np.float32(2.5), np.float64(2.5)])
@pytest.mark.parametrize("default", [0.1, 1, np.float64(0.1)])
def test_the_dtype_of_what_is_selected_is_numpys_beside_numbers(choice, default):
    x = np.array([0.3, -1.7, -0.5], np.float32)

    def selected(x):
        return np.select([x > 0, x < -1], [x, choice], default)

    y, pull = vjp(selected, x)
    expected = selected(x)
    assert y.dtype == expected.dtype
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(pull(np.ones(3, y.dtype))[0], [1, 0, 0])
