"""The rules of variances and averages hold, at constants and for single entries too."""

import numpy as np
import pytest

from chainrules_tape import grad, jvp


@pytest.mark.parametrize("primal", [np.std, np.nanstd])
def test_second_derivatives_where_the_square_of_a_reciprocal_overflows(primal):
    x, x_dot = np.array([[1.0, 3.0, 6.0, 2.0], [0.5, 2.0, -1.0, 1.0]]) * 2.0**-10

    def second(dtype):
        return jvp(grad(primal), (x.astype(dtype),), (x_dot.astype(dtype),))[1]

    np.testing.assert_allclose(second(np.float16), second(float), atol=2e-4)
