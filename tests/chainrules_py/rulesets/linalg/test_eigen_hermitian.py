"""Hermitian eigenproblems: identities of the tangent, and gauge-invariant functions at repeated
eigenvalues.
"""

import numpy as np
import pytest

from chainrules_py import ZERO, Tangent, frule, rrule


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def hermitian(shape, dtype, seed):
    parts = np.random.default_rng(seed).normal(size=(2, *shape))
    a = parts[0] + 1j * parts[1] if dtype is complex else parts[0]
    return (a + adjoint(a)) / 2


@pytest.mark.parametrize("triangle", ["L", "U"])
def test_the_cotangent_is_symmetric_whichever_triangle_is_read(triangle):
    a = hermitian((3, 3), float, 2)
    y, pullback = rrule(np.linalg.eigh, a, UPLO=triangle)
    (a_bar,) = pullback(Tangent[type(y)](np.arange(3.0), np.arange(9.0).reshape(3, 3)))
    np.testing.assert_allclose(a_bar, a_bar.T, rtol=1e-14)


def repeated(values, dtype=float):
    parts = np.random.default_rng(3).normal(size=(2, 3, 3))
    q = np.linalg.qr(parts[0] + 1j * parts[1] if dtype is complex else parts[0])[0]
    return (q * values) @ adjoint(q), q


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("values", [(1.0, 1.0, 1.0), (1.0, 1.0, 2.0)])
def test_trace_of_a_matrix_function_at_repeated_eigenvalues(values, dtype):
    a, q = repeated(values, dtype)
    expected = (q * np.exp(values)) @ adjoint(q)  # the gradient of tr exp(A) is exp(A)
    w, pullback = rrule(np.linalg.eigvalsh, a)
    np.testing.assert_allclose(pullback(np.exp(w))[0], expected, rtol=1e-10, atol=1e-12)
    y, pullback = rrule(np.linalg.eigh, a)
    v = y.eigenvectors  # the same through V exp(w) V^H, whose trace is sum of exp(w_k) |v_k|^2
    (a_bar,) = pullback(Tangent[type(y)](np.exp(y.eigenvalues), 2 * v * np.exp(y.eigenvalues)))
    np.testing.assert_allclose(a_bar, expected, rtol=1e-10, atol=1e-12)


def spectral_projector(a):
    v = np.linalg.eigh(a).eigenvectors[:, :2]
    return v @ adjoint(v)


@pytest.mark.parametrize("dtype", [float, complex])
def test_projector_onto_a_repeated_eigenvalue(dtype):
    a, _ = repeated((1.0, 1.0, 2.0), dtype)
    weights, direction = hermitian((3, 3), dtype, 4), hermitian((3, 3), dtype, 5)
    y, pullback = rrule(np.linalg.eigh, a)
    v_bar = 2 * weights @ y.eigenvectors * [1.0, 1.0, 0.0]
    (a_bar,) = pullback(Tangent[type(y)](ZERO, v_bar))
    h = 1e-5
    difference = (spectral_projector(a + h * direction) - spectral_projector(a - h * direction)) / (
        2 * h
    )
    np.testing.assert_allclose(
        np.sum(np.conj(a_bar) * direction).real,
        np.sum(np.conj(weights) * difference).real,
        rtol=1e-7,
    )


def test_nothing_is_nan_where_vectors_are_not_unique():
    y, pullback = rrule(np.linalg.eigh, np.eye(3))
    # of values as well, it is not determined
    (a_bar,) = pullback(Tangent[type(y)](ZERO, np.ones((3, 3))))
    _, y_dot = frule((np.ones((3, 3)),), np.linalg.eigh, np.eye(3))
    assert all(np.isfinite(part).all() for part in (a_bar, *y_dot))
