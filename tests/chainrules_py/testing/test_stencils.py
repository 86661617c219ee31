"""Differences on one side see that side alone, and what is not finite spoils no more than it must."""

import numpy as np
import pytest

from chainrules_py.testing.stencils import estimates

STEPS = 0.25 * 2.0 ** -np.arange(7)


def sampled(f, steps):
    return np.array([np.atleast_1d(f(t)) for t in steps], float)


def estimated(f, steps=STEPS):
    """The estimates on the right, on the left and on both sides."""
    after = sampled(f, steps)
    return estimates(
        after, sampled(f, -steps), sampled(f, [0.0])[0], 1e-16 * np.ones_like(after), steps
    )


@pytest.mark.parametrize(("side", "which"), [(1.0, 0), (-1.0, 1)])
def test_one_sided_differences_see_one_side_only(side, which):
    def kinked(t):
        return np.exp(t) if t * side >= 0 else np.nan

    found = estimated(kinked)[which]
    assert found.value[0] == pytest.approx(1.0, abs=1e-7)
    assert abs(found.value[0] - 1.0) <= found.error[0]


def test_a_sample_that_is_not_finite_spoils_only_what_uses_it():
    def edged(t):
        return np.array([np.sqrt(0.1 + t) if t > -0.1 else np.nan, np.exp(t)])

    *_, found = estimated(edged)
    assert found.value == pytest.approx([0.5 / np.sqrt(0.1), 1.0], rel=1e-6)


def test_a_staircase_is_not_mistaken_for_a_ramp():
    def staircase(t):
        return np.floor(64 * t + 0.5)

    found, *_ = estimated(staircase, 2.0 ** -np.arange(12))
    assert found.value[0] == 0.0 or not found.error[0] < 1.0
