"""Determinants of regular and of singular matrices, and their logarithms."""

import numpy as np
import pytest

from chainrules_py import ZERO, Tangent, rrule


def cofactors(a):
    """By definition: signed minors."""
    n = len(a)
    minors = [
        [np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) for j in range(n)] for i in range(n)
    ]
    return np.array(minors) * (-1.0) ** np.add.outer(np.arange(n), np.arange(n))


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_det_gradient_is_the_matrix_of_cofactors(rank):
    rng = np.random.default_rng(rank)
    a = np.round(4 * rng.normal(size=(3, rank))) @ np.round(4 * rng.normal(size=(rank, 3)))
    y, pullback = rrule(np.linalg.det, a)
    np.testing.assert_allclose(
        pullback(1.0)[0], cofactors(a), atol=1e-12 * max(1.0, np.abs(a).max() ** 2)
    )


def test_det_of_a_product_of_tiny_numbers_does_not_underflow_its_gradient():
    y, pullback = rrule(np.linalg.det, np.diag([1e-200, 1e-200, 1.0]))
    np.testing.assert_allclose(pullback(1.0)[0], np.diag([1e-200, 1e-200, 0.0]), rtol=1e-12)


def test_slogdet_unused_outputs_and_the_sign_of_a_real_matrix():
    y, pullback = rrule(np.linalg.slogdet, np.diag([2.0, -3.0]))
    assert pullback(Tangent[type(y)](5.0, ZERO)) == (ZERO,)
    np.testing.assert_allclose(pullback(Tangent[type(y)](ZERO, 1.0))[0], np.diag([1 / 2, -1 / 3]))


def test_slogdet_of_a_singular_matrix_raises_as_numpy_does():
    y, pullback = rrule(np.linalg.slogdet, np.zeros((2, 2)))
    assert y.logabsdet == -np.inf
    with pytest.raises(np.linalg.LinAlgError):
        pullback(Tangent[type(y)](ZERO, 1.0))
