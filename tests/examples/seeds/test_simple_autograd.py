"""Gradients of gradients of (a + b) b, by hand and as the notebook prints them; which cotangents
the aggregate's pullback meets.
"""

import numpy as np
import pytest

from chainrules_py import default_rules

A = np.array([0.4605, 0.4061, 0.9422, 0.3946])
B = np.array([0.0850, 0.3296, 0.9888, 0.6494])


@pytest.fixture
def seed(load):
    return load("seeds/simple_autograd")


def first(a, b):
    return b, a + 2 * b


def second(a, b):
    return 2 * (a + 2 * b), 2 * b + 4 * (a + 2 * b)


def both(a, b):
    """Of L0 L1 with L0 = sum (a + b) b and L1 = sum b^2 + (a + 2 b)^2."""
    loss0, loss1 = np.sum((a + b) * b), np.sum(b**2 + (a + 2 * b) ** 2)
    return tuple(loss1 * x + loss0 * y for x, y in zip(first(a, b), second(a, b), strict=True))


ORDERS = {"gradients": first, "gradients_of_gradients": second, "gradients_of_both": both}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("operator", ["simple", "aggregate"])
def test_matches_the_derivatives_by_hand(seed, order, operator):
    table = seed.table_with_aggregate([]) if operator == "aggregate" else default_rules
    found = getattr(seed, order)(getattr(seed, operator), A, B, table)
    np.testing.assert_allclose(found, ORDERS[order](A, B), rtol=1e-14)
