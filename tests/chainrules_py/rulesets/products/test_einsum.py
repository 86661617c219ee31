"""The rules of `einsum` compute nothing for operands that nobody differentiates."""

import numpy as np

from chainrules_py import NO_TANGENT, rrule


def test_operands_that_nobody_differentiates_cost_nothing():
    y, pullback = rrule(np.einsum, "ij,j", np.ones((2, 2)), np.ones(2), needs=(False, False, True))
    assert pullback(np.ones(2))[1] is NO_TANGENT
