"""The rules of covariances and correlations hold, and shifting or scaling does not change a
correlation.
"""

import numpy as np
import pytest

from chainrules_py import batched


@pytest.mark.parametrize("bias", [None, False, 0, True, 1])
def test_covariances_in_lanes_divide_as_numpy_does(bias):
    x = np.random.default_rng(0).normal(size=(4, 3, 5))
    expected = [np.cov(one, bias=bias) for one in x]
    np.testing.assert_allclose(batched(np.cov, (True,), x, bias=bias), expected)
