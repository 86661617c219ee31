"""Determinants of regular and of singular matrices, and their logarithms."""

import numpy as np
import pytest

from chainrules_py import ZERO, Tangent, rrule


def test_slogdet_of_a_singular_matrix_raises_as_numpy_does():
    y, pullback = rrule(np.linalg.slogdet, np.zeros((2, 2)))
    assert y.logabsdet == -np.inf
    with pytest.raises(np.linalg.LinAlgError):
        pullback(Tangent[type(y)](ZERO, 1.0))
