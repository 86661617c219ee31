"""Rules of products."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, rrule
from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_rules

load_shipped()


@parametrize_rules(np.matmul, np.matvec, np.vecmat, np.vecdot, np.vdot, np.outer, np.kron, np.cross)
def test_products(case):
    case.run()


def test_matmul_broadcasts_batch_axes_both_ways():
    rng = np.random.default_rng(0)
    a, b, y_bar = rng.normal(size=(5, 1, 2, 3)), rng.normal(size=(4, 3, 2)), rng.normal(size=(5, 4, 2, 2))
    a_bar, b_bar = rrule(np.matmul, a, b)[1](y_bar)
    np.testing.assert_allclose(a_bar[:, 0], np.einsum("nmij,mkj->nik", y_bar, b))
    np.testing.assert_allclose(b_bar, np.einsum("nik,nmij->mkj", a[:, 0], y_bar))


@pytest.mark.parametrize("primal", [np.matmul, np.dot, np.outer, np.multiply])
def test_integers_have_no_tangent(primal):
    a_bar, b_bar = rrule(primal, np.ones((2, 2)), np.eye(2, dtype=int))[1](np.ones(primal(np.eye(2), np.eye(2)).shape))
    assert b_bar is NO_TANGENT
    assert a_bar.shape == (2, 2)


def test_real_factor_of_a_complex_product_stays_real():
    a_bar, b_bar = rrule(np.matmul, np.ones((2, 2)), 1j * np.ones((2, 2)))[1](np.ones((2, 2), complex))
    assert (a_bar.dtype, b_bar.dtype) == (np.float64, np.complex128)


def test_float32_stays_float32():
    a_bar, b_bar = rrule(np.vecdot, np.ones(2, "float32"), np.ones(2))[1](np.float64(1.0))
    assert (a_bar.dtype, b_bar.dtype) == (np.float32, np.float64)
