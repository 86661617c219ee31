"""Reductions: options, ties, zeros, nans and nothing at all."""

import math
from fractions import Fraction

import numpy as np
import pytest

from chainrules_py import rrule
from chainrules_tape import value_and_grad


def gradient(primal, x, **options):
    y, pullback = rrule(primal, x, **options)
    return pullback(np.ones_like(y))[0]


@pytest.mark.parametrize(
    "x",
    [
        [2.0, -3.0, 0.5, 7.0],
        [1e-200, 3e250, 2e-200, 5.0],  # the product of two of them is zero
        [1e200, 3e-250, 2e100, 5.0],
        [0.0, 2.0, 3.0, 5.0],
        [0.0, 2.0, 0.0, 5.0],
        [5e-324, 2.0, 3.0, 5.0],
        [1.0] * 400 + [0.1, 20.0],
    ],
)
def test_a_product_against_products_of_others(x):
    """By integers of Python's, which neither overflow nor lose digits."""
    whole = [Fraction(each) for each in x]
    expected = [float(math.prod(whole[:i] + whole[i + 1 :])) for i in range(len(x))]
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(gradient(np.prod, np.array(x)), expected, rtol=1e-13)
        rows = gradient(np.prod, np.array([x, x[::-1]]), axis=1)
        np.testing.assert_allclose(rows, [expected, expected[::-1]], rtol=1e-13)


@pytest.mark.parametrize("primal", [np.mean, np.nanmean])
def test_more_entries_than_half_precision_counts(primal):
    """70,000 are more than its largest number, and a 70,000th is in its range."""
    x = np.full(70_000, 2.0**-4, np.float16)
    value, slope = value_and_grad(lambda x: np.float16(1000) * primal(x))(x)
    assert value == 1000 * primal(x)
    np.testing.assert_allclose(slope, 1000 / x.size, rtol=2e-3)
    assert slope.dtype == np.float16
