"""Powers of a matrix and products of many."""

import numpy as np

from chainrules_py import ZERO, Tangent, frule, rrule
from chainrules_py.rulesets.linalg.products import positive_power


def test_matrix_power_is_logarithmic_in_the_exponent():
    a = np.eye(2) * 0.99
    products = []

    class Counting(np.ndarray):
        def __matmul__(self, other):
            products.append(1)
            return np.matmul(np.asarray(self), np.asarray(other)).view(Counting)

    positive_power(a.view(Counting), 1000)
    assert 0 < len(products) <= 20
    _, derivative = frule((np.eye(2),), np.linalg.matrix_power, a, n=1000)
    np.testing.assert_allclose(derivative, 1000 * 0.99**999 * np.eye(2))


def test_multi_dot_forward_skips_factors_that_stand_still():
    a, b = np.arange(6.0).reshape(2, 3), np.ones((3, 2))
    y, y_dot = frule((Tangent[list](ZERO, b),), np.linalg.multi_dot, [a, b])
    np.testing.assert_array_equal(y_dot, a @ b)


def test_multi_dot_cotangents_have_the_container_of_the_factors():
    y, pullback = rrule(np.linalg.multi_dot, (np.ones((2, 3)), np.ones((3, 2))))
    (bars,) = pullback(np.ones((2, 2)))
    assert isinstance(bars, Tangent[tuple])
