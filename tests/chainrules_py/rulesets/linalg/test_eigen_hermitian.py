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


def test_nothing_is_nan_where_vectors_are_not_unique():
    y, pullback = rrule(np.linalg.eigh, np.eye(3))
    # of values as well, it is not determined
    (a_bar,) = pullback(Tangent[type(y)](ZERO, np.ones((3, 3))))
    _, y_dot = frule((np.ones((3, 3)),), np.linalg.eigh, np.eye(3))
    assert all(np.isfinite(part).all() for part in (a_bar, *y_dot))
