"""The rules of general eigenproblems solve the perturbed equation, and are finite at repeated
eigenvalues.
"""

import numpy as np

from chainrules_py import ZERO, Tangent, rrule


def test_a_real_matrix_has_a_real_cotangent_although_its_eigenvalues_are_complex():
    y, pullback = rrule(np.linalg.eig, np.array([[1.0, 2.0], [-1.5, 0.5]]))
    (a_bar,) = pullback(Tangent[type(y)](np.array([1.0 + 2j, 3.0 - 1j]), ZERO))
    assert a_bar.dtype == np.float64


def test_sum_of_powers_at_a_repeated_eigenvalue():
    rng = np.random.default_rng(1)
    v = rng.normal(size=(3, 3))
    a = v @ np.diag([2.0, 2.0, 3.0]) @ np.linalg.inv(v)
    w, pullback = rrule(np.linalg.eigvals, a)
    np.testing.assert_allclose(pullback(3 * w**2)[0], 3 * (a @ a).T, rtol=1e-8)  # of tr A^3


def test_nothing_is_nan_where_vectors_are_not_unique():
    y, pullback = rrule(np.linalg.eig, np.eye(3))
    (a_bar,) = pullback(Tangent[type(y)](np.ones(3), np.ones((3, 3))))
    assert np.isfinite(a_bar).all()


def test_a_defective_matrix_has_a_trace_and_infinitely_fast_eigenvalues():
    y, pullback = rrule(np.linalg.eigvals, np.array([[0.0, 1.0], [0.0, 0.0]]))
    np.testing.assert_array_equal(pullback(np.ones(2))[0], np.eye(2))
    assert np.abs(pullback(np.array([1.0, -1.0]))[0]).max() > 1e15
