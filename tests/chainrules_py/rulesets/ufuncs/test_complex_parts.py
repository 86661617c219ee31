"""Parts of complex numbers: what is linear over the reals alone."""

import numpy as np
import pytest

from chainrules_py import ZERO, frule, rrule


@pytest.mark.parametrize("primal", [np.sign, np.angle, np.round])
def test_constant_for_real_numbers(primal):
    assert rrule(primal, np.array([2.0, -3.0]))[1](np.ones(2)) == (ZERO,)


def test_real_if_close_in_both_outcomes():
    close, far = np.array([1 + 1e-20j]), np.array([1 + 1j])
    assert rrule(np.real_if_close, close)[1](np.ones(1))[0].dtype == np.complex128
    assert frule((np.array([1 + 2j]),), np.real_if_close, close)[1].dtype == np.float64
    np.testing.assert_array_equal(rrule(np.real_if_close, far)[1](np.array([1 + 2j]))[0], [1 + 2j])


def test_nan_to_num_stops_what_it_replaces():
    (x_bar,) = rrule(np.nan_to_num, np.array([np.nan, 1.0, np.inf, -np.inf]))[1](np.ones(4))
    np.testing.assert_array_equal(x_bar, [0.0, 1.0, 0.0, 0.0])


def test_nan_to_num_looks_at_the_parts_of_a_complex_number_one_by_one():
    (x_bar,) = rrule(np.nan_to_num, np.array([complex(np.nan, 1.0)]))[1](np.array([2 + 3j]))
    np.testing.assert_array_equal(x_bar, [3j])
