"""Softmax by parts, by a rule, and in a loop, against its Jacobian diag(y) - y y^T."""

import numpy as np
import pytest

from chainrules_tape import vjp

X = np.array([[1.0, 2.0, 3.0, -1.0], [1000.0, 1001.0, 999.0, 1000.5], [0.0, 0.0, 0.0, 0.0]])
FORMS = ["softmax_of_parts", "softmax_of_parts_without_maximum", "softmax", "softmax_by_rows"]


@pytest.fixture
def seed(load):
    return load("seeds/softmax")


def softmax(row):
    e = np.exp(row - row.max())
    return e / e.sum()


def jacobian(row):
    y = softmax(row)
    return np.diag(y) - np.outer(y, y)


@pytest.mark.parametrize("form", FORMS)
def test_matches_the_jacobian_of_each_row(seed, form):
    y_bar = np.random.default_rng(1).normal(size=X.shape)
    y, pullback = vjp(getattr(seed, form), X, rules=seed.own_gradients)
    np.testing.assert_allclose(y, [softmax(row) for row in X], rtol=1e-14)
    expected = [jacobian(row) @ bar for row, bar in zip(X, y_bar, strict=True)]
    np.testing.assert_allclose(pullback(y_bar)[0], expected, rtol=1e-12, atol=1e-15)
