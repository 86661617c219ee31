"""The rules of products sum over broadcast axes, keep the field and the dtype, and postpone large
cotangents.
"""

import numpy as np
import pytest

from chainrules_py import rrule, unthunk
from chainrules_py.tangents import MatrixProduct

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
