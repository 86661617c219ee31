"""Determinants of regular and of singular matrices, and their logarithms."""

import numpy as np
import pytest

from chainrules_py import ZERO, Tangent, rrule


def test_det_of_a_product_of_tiny_numbers_does_not_underflow_its_gradient():
    y, pullback = rrule(np.linalg.det, np.diag([1e-200, 1e-200, 1.0]))
    np.testing.assert_allclose(pullback(1.0)[0], np.diag([1e-200, 1e-200, 0.0]), rtol=1e-12)


def test_slogdet_of_a_singular_matrix_raises_as_numpy_does():
    y, pullback = rrule(np.linalg.slogdet, np.zeros((2, 2)))
    assert y.logabsdet == -np.inf
    with pytest.raises(np.linalg.LinAlgError):
        pullback(Tangent[type(y)](ZERO, 1.0))
