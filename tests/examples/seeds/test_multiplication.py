"""A rule registered, replaced, removed: what the gradients are at each step, against the Jacobian
written out.
"""

import numpy as np
import pytest

X1, X2, Y_BAR = np.random.default_rng(0).normal(size=(3, 3))


@pytest.fixture
def seed(load):
    return load("seeds/multiplication")


def test_history_of_the_overlay(seed):
    right, none = seed.by_jacobian(X1, X2, Y_BAR), np.zeros(3)
    history = seed.life_of_a_rule(X1, X2, Y_BAR)
    expected = [right, right, (right[0], none), right, right]
    for (event, _, bars), wanted in zip(history, expected, strict=True):
        np.testing.assert_allclose(bars, wanted, rtol=1e-15, err_msg=event)
    names = [name for _, name, _ in history]
    assert names[1:4] == ["multiply_rrule", "forgetful_multiply_rrule", names[0]]
