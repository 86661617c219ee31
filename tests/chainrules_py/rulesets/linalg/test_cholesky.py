"""The rules of the Cholesky factor keep tangents triangular and cotangents symmetric."""

import numpy as np
import pytest

from chainrules_py import rrule


@pytest.mark.parametrize("upper", [False, True])
def test_the_cotangent_is_symmetric_and_the_other_triangle_of_the_seed_is_ignored(upper):
    a = np.array([[4.0, 1.0], [1.0, 3.0]])
    y, pullback = rrule(np.linalg.cholesky, a, upper=upper)
    seed = np.arange(4.0).reshape(2, 2) + 1
    keep = np.triu if upper else np.tril
    (a_bar,) = pullback(seed)
    np.testing.assert_array_equal(a_bar, a_bar.T)
    np.testing.assert_allclose(a_bar, pullback(keep(seed))[0], rtol=1e-14)
