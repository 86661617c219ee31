"""sinc and the Bessel functions, against their series and SciPy."""

import math

import numpy as np
import pytest

from chainrules_py import rrule
from chainrules_py.rulesets.ufuncs.sinc_and_i0 import bessel_over_power
from chainrules_py.testing.dual import DualNumbers, dot_of

special = pytest.importorskip("scipy.special")


def slope_at(x, orders):
    """Derivatives of sinc by its power series."""
    t, total = np.pi * x, 0.0
    for k in range(30):
        n = 2 * k
        if n >= orders:
            total += (-1) ** k / math.factorial(n + 1) * math.perm(n, orders) * t ** (n - orders)
    return np.pi**orders * total


def derivative(x, order):
    """The derivative of sinc of this order by differentiating its rule again and again."""
    if order == 0:
        return np.sinc(x)
    y, pullback = rrule(np.sinc, x)
    return pullback(np.ones_like(y))[0]


def test_first_derivative_near_zero_to_the_last_digits():
    x = np.array([0.0, 1e-8, 1e-3, 0.1, 0.3183, 0.3184, 0.7])
    np.testing.assert_allclose(
        derivative(x, 1), [slope_at(value, 1) for value in x], rtol=4e-15, atol=1e-300
    )


@pytest.mark.parametrize("x", [0.0, 1e-4, 0.2, 0.5])
def test_second_derivative(x):
    dual = DualNumbers(np.float64(x), np.float64(1.0))
    found = dot_of(rrule(np.sinc, dual)[1](np.float64(1.0))[0])
    np.testing.assert_allclose(found, slope_at(x, 2), rtol=1e-12)


@pytest.mark.parametrize("n", range(9))
def test_powers_are_divided_out_of_bessel_functions(n):
    x = np.concatenate([np.linspace(-60, 60, 240), [300.0, 700.0]])
    expected = math.factorial(n) * special.iv(n, x) * (2 / x) ** n
    np.testing.assert_allclose(bessel_over_power(n, x), expected, rtol=1e-13 if n > 1 else 4e-15)
    assert bessel_over_power(n, 0.0) == 1
