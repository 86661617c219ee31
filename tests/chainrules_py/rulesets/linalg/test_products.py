"""Powers of a matrix and products of many."""

import numpy as np

from chainrules_py import frule
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
