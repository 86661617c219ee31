"""The rules of `einsum` with letters that are repeated, and options that are refused."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, rrule


@pytest.mark.parametrize(
    ("subscripts", "shape"),
    [
        *(("iii->i", (2, 2, 2)), ("iij->j", (2, 2, 3))),
        *(("jij->ij", (3, 2, 3)), ("ijij->j", (2, 3, 2, 3))),
        *(("ii", (1, 1)), ("iij->j", (0, 0, 2))),
    ],
)
def test_repeated_letters(subscripts, shape):
    a = np.zeros(shape)
    y, pullback = rrule(np.einsum, subscripts, a)
    y_bar = 1 + np.arange(np.size(y)).reshape(np.shape(y)) * 1.0
    units = np.eye(a.size).reshape(a.size, *shape)
    expected = np.array([np.sum(np.einsum(subscripts, unit) * y_bar) for unit in units]).reshape(
        shape
    )
    np.testing.assert_array_equal(pullback(y_bar)[1], expected)


def test_operands_that_nobody_differentiates_cost_nothing():
    y, pullback = rrule(np.einsum, "ij,j", np.ones((2, 2)), np.ones(2), needs=(False, False, True))
    assert pullback(np.ones(2))[1] is NO_TANGENT
