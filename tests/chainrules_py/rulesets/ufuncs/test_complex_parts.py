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
