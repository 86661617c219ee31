"""Parts of derivatives whose own derivatives keep their digits."""

import numpy as np
import pytest

from chainrules_py.rulesets.formulas.without_cancellation import (
    logistic,
    logistic_slope,
    one_minus_square,
    over,
)
from chainrules_tape import grad, jvp


def share(x):
    return logistic(x, np)


SMALL = [1e-300, 1e-17, -1e-12, 1e-8]


@pytest.mark.parametrize("x", SMALL)
def test_the_slope_of_one_minus_a_square_is_exact(x):
    assert grad(one_minus_square)(x) == -2 * x
    assert one_minus_square(1 - 2.0**-40) == 2.0**-39 - 2.0**-80


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("x", [-1e4, -800.0, -90.0, 0.0, 1.5, 90.0, 1e4])
def test_the_logistic_function_neither_overflows_nor_stays(dtype, x):
    with np.errstate(over="raise", invalid="raise"):
        found, slope = jvp(share, (dtype(x),), (dtype(1),))
    assert found.dtype == slope.dtype == dtype
    size = np.exp(-abs(np.longdouble(x)))
    tolerance = {"rtol": 1e-5 if dtype is np.float32 else 1e-13, "atol": 1e-37}
    np.testing.assert_allclose(found, dtype((1 if x > 0 else size) / (1 + size)), **tolerance)
    np.testing.assert_allclose(slope, dtype(size / (1 + size) ** 2), **tolerance)


@pytest.mark.parametrize("x", SMALL)
def test_the_logistic_slope_is_even(x):
    found = grad(lambda x: logistic_slope(x, np.float64(0), np))(x)
    assert abs(found + x / 8) <= 1e-15 * abs(x) + 5e-324


@pytest.mark.parametrize(
    ("x", "y", "by_x", "by_y"),
    [
        (0.0, 2.0, 0.5, 0.0),
        (0.0, 0.0, np.inf, 0.0),
        (3.0, 2.0, 0.5, -0.75),
        (0.0, np.inf, 0.0, 0.0),
    ],
)
def test_a_quotient_of_zeros_is_zero_and_moves_as_quotients_do(x, y, by_x, by_y):
    with np.errstate(divide="ignore"):
        assert grad(over, argnums=(0, 1))(x, y) == (by_x, by_y)
    assert over(0.0, 0.0) == 0
