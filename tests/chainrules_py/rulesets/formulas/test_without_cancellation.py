"""Parts of derivatives whose own derivatives keep their digits."""

import numpy as np
import pytest

from chainrules_py.rulesets.formulas.without_cancellation import (
    log_of_share,
    logistic_slope,
    one_minus_square,
)
from chainrules_tape import grad

SMALL = [1e-300, 1e-17, -1e-12, 1e-8]


@pytest.mark.parametrize("x", SMALL)
def test_the_slope_of_one_minus_a_square_is_exact(x):
    assert grad(one_minus_square)(x) == -2 * x
    assert one_minus_square(1 - 2.0**-40) == 2.0**-39 - 2.0**-80


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("x", [-1e4, -800.0, -90.0, 0.0, 1.5, 90.0, 1e4])
def test_the_logistic_slope_neither_overflows_nor_stays(dtype, x):
    with np.errstate(over="raise", invalid="raise"):
        found = logistic_slope(dtype(x), np.dtype(dtype), np)
    assert found.dtype == dtype
    size = np.exp(-abs(np.longdouble(x)))
    np.testing.assert_allclose(
        found,
        dtype(size / (1 + size) ** 2),
        rtol=1e-5 if dtype is np.float32 else 1e-13,
        atol=1e-37,
    )


@pytest.mark.parametrize("x", SMALL)
def test_the_logistic_slope_is_even(x):
    found = grad(lambda x: logistic_slope(np.float64(1) * x, np.dtype(float), np))(x)
    assert abs(found + x / 8) <= 1e-15 * abs(x) + 5e-324


@pytest.mark.parametrize(
    ("excess", "share"),
    [(-30.0, 1 / (1 + np.exp(-30.0))), (0.0, 0.5), (30.0, 1 / (1 + np.exp(30.0))), (np.inf, 0.0)],
)
def test_shares_and_their_slopes(excess, share):
    assert abs(np.exp(log_of_share(excess, np)) - share) <= 1e-14 * share
    if np.isfinite(excess):
        slope = grad(lambda d: np.exp(log_of_share(d, np)))(excess)
        expected = -np.exp(-abs(excess)) / (1 + np.exp(-abs(excess))) ** 2
        assert abs(slope - expected) <= 1e-14 * abs(expected)
