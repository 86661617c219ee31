"""The rules of products sum over broadcast axes, keep the field and the dtype, and postpone large
cotangents.
"""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, rrule, unthunk
from chainrules_py.tangents import MatrixProduct


def test_matmul_broadcasts_batch_axes_both_ways():
    rng = np.random.default_rng(0)
    a, b, y_bar = (
        rng.normal(size=(5, 1, 2, 3)),
        rng.normal(size=(4, 3, 2)),
        rng.normal(size=(5, 4, 2, 2)),
    )
    a_bar, b_bar = rrule(np.matmul, a, b)[1](y_bar)
    np.testing.assert_allclose(a_bar[:, 0], np.einsum("nmij,mkj->nik", y_bar, b))
    np.testing.assert_allclose(b_bar, np.einsum("nik,nmij->mkj", a[:, 0], y_bar))


@pytest.mark.parametrize("primal", [np.matmul, np.dot, np.outer, np.multiply])
def test_integers_have_no_tangent(primal):
    a_bar, b_bar = rrule(primal, np.ones((2, 2)), np.eye(2, dtype=int))[1](
        np.ones(primal(np.eye(2), np.eye(2)).shape)
    )
    assert b_bar is NO_TANGENT
    assert a_bar.shape == (2, 2)


def test_real_factor_of_a_complex_product_stays_real():
    a_bar, b_bar = rrule(np.matmul, np.ones((2, 2)), 1j * np.ones((2, 2)))[1](
        np.ones((2, 2), complex)
    )
    assert (a_bar.dtype, b_bar.dtype) == (np.float64, np.complex128)


def test_float32_stays_float32():
    a_bar, b_bar = rrule(np.vecdot, np.ones(2, "float32"), np.ones(2))[1](np.float64(1.0))
    assert (a_bar.dtype, b_bar.dtype) == (np.float32, np.float64)


LARGE = {
    "matrices": ((2000, 9), (9, 4), "d"),
    "stacks": ((3, 900, 9), (3, 9, 4), "d"),
    "small precision": ((2000, 9), (9, 4), "f"),
}
NOT_POSTPONED = {
    "small": ((20, 9), (9, 4), "d"),
    "a broadcast stack": ((3, 900, 9), (9, 4), "d"),
    "complex": ((2000, 9), (9, 4), "D"),
    "vector": ((20000,), (20000, 1), "d"),
}


@pytest.mark.parametrize("case", LARGE | NOT_POSTPONED)
def test_the_cotangent_of_a_large_left_factor_is_postponed(case):
    rng = np.random.default_rng(0)
    a_shape, b_shape, dtype = (LARGE | NOT_POSTPONED)[case]
    a, b = rng.normal(size=a_shape).astype(dtype), rng.normal(size=b_shape).astype(dtype)
    y, pullback = rrule(np.matmul, a, b)
    y_bar = rng.normal(size=y.shape).astype(dtype)
    a_bar, b_bar = pullback(y_bar)
    assert isinstance(a_bar, MatrixProduct) == (case in LARGE)
    a_bar = unthunk(a_bar)
    assert (a_bar.shape, a_bar.dtype) == (a.shape, a.dtype)
    tolerance = 1e-4 if dtype == "f" else 1e-10
    a_dot = rng.normal(size=a_shape).astype(dtype)
    np.testing.assert_allclose(
        np.vdot(a_bar, a_dot).real, np.vdot(y_bar, a_dot @ b).real, rtol=tolerance
    )
