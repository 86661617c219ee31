"""The rules of running sums and products hold, also where entries are zero or nan."""

import numpy as np
import pytest

from chainrules_py import frule, rrule


@pytest.mark.parametrize("zeros", [(), (2,), (0, 3), (0, 1, 2, 3, 4)])
def test_cumprod_with_zeros_against_the_jacobian_written_out(zeros):
    x = np.array([2.0, -3.0, 0.5, 4.0, 1.5])
    x[list(zeros)] = 0
    jacobian = np.array(
        [[np.prod(np.delete(x[: k + 1], i)) if i <= k else 0.0 for i in range(5)] for k in range(5)]
    )
    y_bar = np.arange(1.0, 6.0)
    np.testing.assert_allclose(rrule(np.cumprod, x)[1](y_bar)[0], jacobian.T @ y_bar)
    np.testing.assert_allclose(frule((y_bar,), np.cumprod, x)[1], jacobian @ y_bar)
