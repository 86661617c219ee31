"""Norms: every order, and what they say where they have no derivative."""

import numpy as np
import pytest

from chainrules_tape import grad, jvp


@pytest.mark.parametrize("order", [1, np.inf])
@pytest.mark.parametrize(("dtype", "scale"), [(np.complex64, 2.0**-80), (complex, 2.0**-600)])
def test_second_derivatives_where_squares_of_reciprocals_overflow(order, dtype, scale):
    x, x_dot = np.array([[0.3 + 0.4j, -0.2 + 0.1j, 0.5j], [0.1 - 0.2j, 0.3, 1 + 1j]])

    def second(x, x_dot):
        return jvp(grad(lambda x: np.linalg.norm(x, order)), (x,), (x_dot,))[1]

    found = second((scale * x).astype(dtype), (scale * x_dot).astype(dtype))
    np.testing.assert_allclose(found, second(x, x_dot), rtol=1e-5)
