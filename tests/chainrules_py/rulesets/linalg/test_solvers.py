"""The rules of linear systems compute the wanted cotangents only, and tell matrices from batches of
vectors.
"""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, frule, rrule


@pytest.mark.parametrize("dots", [(ZERO, ZERO), (NO_TANGENT, ZERO)])
def test_nothing_moves(dots):
    a, b = np.eye(2), np.ones(2)
    assert frule(dots, np.linalg.solve, a, b)[1] is ZERO


def test_a_matrix_of_right_hand_sides_is_not_a_batch_of_vectors():
    a, b = np.stack([np.eye(2), 2 * np.eye(2)]), np.ones((2, 2))
    y, pullback = rrule(np.linalg.solve, a, b)
    a_bar, b_bar = pullback(np.ones((2, 2, 2)))
    assert (y.shape, a_bar.shape, b_bar.shape) == ((2, 2, 2), (2, 2, 2), (2, 2))
    np.testing.assert_allclose(b_bar, np.full((2, 2), 1.5))


def test_only_the_wanted_cotangent_is_computed():
    y, pullback = rrule(np.linalg.solve, np.eye(2), np.ones(2), needs=(False, True))
    assert pullback(np.ones(2))[0] is NO_TANGENT
