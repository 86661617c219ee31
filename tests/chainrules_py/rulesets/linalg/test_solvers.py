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


def test_only_the_wanted_cotangent_is_computed():
    y, pullback = rrule(np.linalg.solve, np.eye(2), np.ones(2), needs=(False, True))
    assert pullback(np.ones(2))[0] is NO_TANGENT
