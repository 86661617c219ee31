"""The rules of the Cholesky factor keep tangents triangular and cotangents symmetric."""

import numpy as np
import pytest

from chainrules_py import frule, rrule
from chainrules_py.testing import CheckFailure, Settings, check_rule


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def test_finite_differences_agree_along_hermitian_directions_only():
    a = np.array([[4.0, 1.0], [1.0, 3.0]])
    check_rule(np.linalg.cholesky, a, settings=Settings(structures={0: "hermitian"}))
    with pytest.raises(CheckFailure):
        check_rule(np.linalg.cholesky, a)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", [float, complex])
def test_tangents_reconstruct_and_stay_triangular(dtype, upper):
    parts = np.random.default_rng(0).normal(size=(2, 2, 3, 3))
    b = parts[0] + 1j * parts[1] if dtype is complex else parts[0]
    a, a_dot = b[0] @ adjoint(b[0]) + np.eye(3), b[1] + adjoint(b[1])
    y, y_dot = frule((a_dot,), np.linalg.cholesky, a, upper=upper)
    lower, lower_dot = (adjoint(y), adjoint(y_dot)) if upper else (y, y_dot)
    np.testing.assert_allclose(
        lower_dot @ adjoint(lower) + lower @ adjoint(lower_dot), a_dot, atol=1e-12
    )
    np.testing.assert_array_equal(np.triu(lower_dot, 1), 0)


@pytest.mark.parametrize("upper", [False, True])
def test_the_cotangent_is_symmetric_and_the_other_triangle_of_the_seed_is_ignored(upper):
    a = np.array([[4.0, 1.0], [1.0, 3.0]])
    y, pullback = rrule(np.linalg.cholesky, a, upper=upper)
    seed = np.arange(4.0).reshape(2, 2) + 1
    keep = np.triu if upper else np.tril
    (a_bar,) = pullback(seed)
    np.testing.assert_array_equal(a_bar, a_bar.T)
    np.testing.assert_allclose(a_bar, pullback(keep(seed))[0], rtol=1e-14)
