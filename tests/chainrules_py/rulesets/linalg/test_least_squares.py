"""Least squares: solution, residuals, rank and singular values."""

import numpy as np
import pytest

from chainrules_py import NO_TANGENT, ZERO, Tangent, rrule
from chainrules_tape import grad, vmap


@pytest.mark.parametrize("unused", [0, 1, 3])
def test_unused_outputs_cost_nothing(monkeypatch, unused):
    calls = []
    for name in ("pinv", "svd"):
        original = getattr(np.linalg, name)
        rrule(original, np.eye(2))  # its rules are made for what the name means now
        monkeypatch.setattr(
            np.linalg, name, lambda *a, _f=original, _n=name, **k: calls.append(_n) or _f(*a, **k)
        )
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(4, 2)), rng.normal(size=4)
    y, pullback = rrule(np.linalg.lstsq, a, b)
    calls.clear()
    used = [np.ones(np.shape(part)) for part in y]
    used[unused], used[2] = ZERO, NO_TANGENT
    pullback(Tangent[tuple](*used))
    expected = {0: {"svd"}, 1: {"pinv", "svd"}, 3: {"pinv"}}
    assert set(calls) == expected[unused]


def test_lanes_of_single_precision_beside_double():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 4, 2)).astype(np.float32), rng.normal(size=(2, 4))
    found = vmap(np.linalg.lstsq)(a, b)
    expected = [np.linalg.lstsq(*each) for each in zip(a, b, strict=True)]
    for one, *others in zip(found, *expected, strict=True):
        assert one.dtype == others[0].dtype
        np.testing.assert_allclose(one, others, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-160, 1e160])
def test_matrices_whose_squares_are_out_of_range(scale):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(5, 3)), rng.normal(size=5)

    def first_entry(a, b):
        return np.linalg.lstsq(a, b, rcond=None)[0][0]

    expected = grad(first_entry)(a, b)  # x stays the same where both have another scale
    found = grad(first_entry)(scale * a, scale * b)
    np.testing.assert_allclose(scale * found, expected, rtol=1e-12)
