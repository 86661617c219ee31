"""Duals: what they compute is the derivative of what plain numbers compute, once and twice, by one
or two variables.
"""

import numpy as np
import pytest

from chainrules_py.rulesets.formulas.duals import exponential, leaves, variables


def rational(x, y):
    return (2 - x * y) / (1 + x) - 3 / y + np.array([1.0, 2.0]) * x * x


X, Y, TWO = np.array([0.3, 1.7]), np.array([1.1, 0.4]), np.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ((0,), -(2 + Y) / (1 + X) ** 2 + 2 * TWO * X),
        ((1,), -X / (1 + X) + 3 / Y**2),
        ((0, 0), 2 * (2 + Y) / (1 + X) ** 3 + 2 * TWO),
        ((0, 1), -1 / (1 + X) ** 2),
        ((1, 0), -1 / (1 + X) ** 2),
        ((1, 1), -6 / Y**3),
    ],
)
def test_derivatives_of_a_rational_function(by, expected):
    parts = leaves(rational(*variables((X, Y), by)))
    np.testing.assert_allclose(parts[0], rational(X, Y), rtol=1e-15)
    np.testing.assert_allclose(parts[-1], expected, rtol=1e-13)


def test_a_function_that_is_known_by_its_logarithm():
    # the derivatives of -x * x * y are -2 x y by x, -x * x by y, -2 x by both
    value = np.exp(-X * X * Y)
    parts = leaves(exponential(value, (-2 * X * Y, -X * X), -2 * X))
    np.testing.assert_allclose(
        parts,
        [value, -2 * X * Y * value, -X * X * value, (2 * X**3 * Y - 2 * X) * value],
        rtol=1e-14,
    )
