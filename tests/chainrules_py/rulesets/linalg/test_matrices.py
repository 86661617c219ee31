"""Factors, powers and solutions: symmetric cotangents, vectors that are not unique, what costs nothing."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, Tangent, frule, rrule
from chainrules_py.rulesets.linalg.products import positive_power
from chainrules_tape import grad, jvp


@pytest.mark.parametrize("triangle", ["L", "U"])
def test_the_cotangent_is_symmetric_whichever_triangle_is_read(triangle):
    a = np.array([[1.0, 0.3, -0.7], [0.3, 2.0, 0.5], [-0.7, 0.5, -1.0]])
    y, pullback = rrule(np.linalg.eigh, a, UPLO=triangle)
    (a_bar,) = pullback(Tangent[type(y)](np.arange(3.0), np.arange(9.0).reshape(3, 3)))
    np.testing.assert_allclose(a_bar, a_bar.T, rtol=1e-14)


@pytest.mark.parametrize(
    ("primal", "a", "unused"),
    [
        (np.linalg.eig, np.eye(3), (1,)),
        (np.linalg.eigh, np.eye(3), (0,)),  # of values as well, it is not determined
        *((np.linalg.svd, a, (0, 2)) for a in (np.eye(3), np.zeros((3, 3)), np.ones((3, 2)))),
    ],
)
def test_nothing_is_nan_where_vectors_are_not_unique(primal, a, unused):
    options = {"full_matrices": False} if primal is np.linalg.svd else {}
    y, pullback = rrule(primal, a, **options)
    seeds = [ZERO if k in unused else np.ones_like(part) for k, part in enumerate(y)]
    assert np.isfinite(pullback(Tangent[type(y)](*seeds))[0]).all()
    _, y_dot = frule((np.ones_like(a),), primal, a, **options)
    assert np.isfinite(y_dot[1 if primal is np.linalg.svd else 0]).all()


def test_sum_of_powers_at_a_repeated_eigenvalue():
    v = np.random.default_rng(1).normal(size=(3, 3))
    a = v @ np.diag([2.0, 2.0, 3.0]) @ np.linalg.inv(v)
    w, pullback = rrule(np.linalg.eigvals, a)
    np.testing.assert_allclose(pullback(3 * w**2)[0], 3 * (a @ a).T, rtol=1e-8)  # of tr A^3


def test_a_defective_matrix_has_a_trace_and_infinitely_fast_eigenvalues():
    y, pullback = rrule(np.linalg.eigvals, np.array([[0.0, 1.0], [0.0, 0.0]]))
    np.testing.assert_array_equal(pullback(np.ones(2))[0], np.eye(2))
    assert np.abs(pullback(np.array([1.0, -1.0]))[0]).max() > 1e15


def test_matrix_power_is_logarithmic_in_the_exponent():
    a = np.eye(2) * 0.99
    products = []

    class Counting(np.ndarray):
        def __matmul__(self, other):
            products.append(1)
            return np.matmul(np.asarray(self), np.asarray(other)).view(Counting)

    positive_power(a.view(Counting), 1000)
    assert 0 < len(products) <= 20
    _, derivative = frule((np.eye(2),), np.linalg.matrix_power, a, n=1000)
    np.testing.assert_allclose(derivative, 1000 * 0.99**999 * np.eye(2))


def test_what_nobody_wants_costs_nothing():
    a, b = np.eye(2), np.ones(2)
    for dots in ((ZERO, ZERO), (NO_TANGENT, ZERO)):
        assert frule(dots, np.linalg.solve, a, b)[1] is ZERO
    y, pullback = rrule(np.linalg.solve, a, b, needs=(False, True))
    assert pullback(b)[0] is NO_TANGENT


@pytest.mark.parametrize("order", [1, np.inf])
@pytest.mark.parametrize(("dtype", "scale"), [(np.complex64, 2.0**-80), (complex, 2.0**-600)])
def test_second_derivatives_of_norms_where_squares_of_reciprocals_overflow(order, dtype, scale):
    x, x_dot = np.array([[0.3 + 0.4j, -0.2 + 0.1j, 0.5j], [0.1 - 0.2j, 0.3, 1 + 1j]])

    def second(x, x_dot):
        return jvp(grad(lambda x: np.linalg.norm(x, order)), (x,), (x_dot,))[1]

    found = second((scale * x).astype(dtype), (scale * x_dot).astype(dtype))
    np.testing.assert_allclose(found, second(x, x_dot), rtol=1e-5)
