"""Determinants of regular and of singular matrices, and their logarithms."""

import numpy as np
import pytest

from chainrules_py import ZERO, Tangent, frule, rrule
from chainrules_py.rulesets.linalg.determinants import adjugate
from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_rules

load_shipped()


@parametrize_rules(np.linalg.det, np.linalg.slogdet)
def test_rules(case):
    case.run()


def cofactors(a):
    """By definition: signed minors."""
    n = len(a)
    minors = [[np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) for j in range(n)] for i in range(n)]
    return np.array(minors) * (-1.0) ** np.add.outer(np.arange(n), np.arange(n))


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_det_gradient_is_the_matrix_of_cofactors(rank):
    rng = np.random.default_rng(rank)
    a = np.round(4 * rng.normal(size=(3, rank))) @ np.round(4 * rng.normal(size=(rank, 3)))
    y, pullback = rrule(np.linalg.det, a)
    np.testing.assert_allclose(pullback(1.0)[0], cofactors(a), atol=1e-12 * max(1.0, np.abs(a).max() ** 2))


def test_det_of_a_product_of_tiny_numbers_does_not_underflow_its_gradient():
    y, pullback = rrule(np.linalg.det, np.diag([1e-200, 1e-200, 1.0]))
    np.testing.assert_allclose(pullback(1.0)[0], np.diag([1e-200, 1e-200, 0.0]), rtol=1e-12)


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_adjugate(rank, dtype):
    rng = np.random.default_rng(rank)
    diagonal = np.diag([1.0, 2.5, 4.0][:rank] + [0.0] * (3 - rank)).astype(dtype)
    q = np.linalg.qr(rng.normal(size=(3, 3)) + (1j * rng.normal(size=(3, 3)) if dtype == "complex128" else 0))[0]
    a = q @ diagonal @ q.T
    np.testing.assert_allclose(adjugate(a), cofactors(a).T, atol=1e-12)
    a_dot = rng.normal(size=(3, 3)).astype(dtype)
    h = 1e-5
    difference = (cofactors(a + h * a_dot) - cofactors(a - h * a_dot)).T / (2 * h)
    np.testing.assert_allclose(frule((a_dot,), adjugate, a)[1], difference, atol=1e-8)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_adjugate_modes_are_adjoint(rank):
    rng = np.random.default_rng(rank)
    a, a_dot, y_bar = (rng.normal(size=(3, rank)) @ rng.normal(size=(rank, 3)), *rng.normal(size=(2, 3, 3)))
    y_dot, (a_bar,) = frule((a_dot,), adjugate, a)[1], rrule(adjugate, a)[1](y_bar)
    np.testing.assert_allclose(np.sum(y_dot * y_bar), np.sum(a_dot * a_bar), rtol=1e-12)


def test_slogdet_unused_outputs_and_the_sign_of_a_real_matrix():
    y, pullback = rrule(np.linalg.slogdet, np.diag([2.0, -3.0]))
    assert pullback(Tangent[type(y)](5.0, ZERO)) == (ZERO,)
    np.testing.assert_allclose(pullback(Tangent[type(y)](ZERO, 1.0))[0], np.diag([1 / 2, -1 / 3]))


def test_slogdet_of_a_singular_matrix_raises_as_numpy_does():
    y, pullback = rrule(np.linalg.slogdet, np.zeros((2, 2)))
    assert y.logabsdet == -np.inf
    with pytest.raises(np.linalg.LinAlgError):
        pullback(Tangent[type(y)](ZERO, 1.0))
