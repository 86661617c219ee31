"""The uncertainty is that of many laboratories, each with its own errors."""

import numpy as np


def test_many_laboratories_are_as_far_off_as_they_say(program):
    rng = np.random.default_rng(0)
    off = []
    for _ in range(400):
        length, times, angles = program.measured(rng)
        runs = program.gravity(length, times, angles)
        best = program.weighted_mean(runs)
        # times and angles are drawn; what all runs share is not
        own = sum(best.variances[name] for name in ("stopwatch", "protractor"))
        off.append((best.value - program.TRUTH) / np.sqrt(own))
    assert abs(np.mean(off)) < 0.2
    assert 0.9 < np.std(off) < 1.1


def test_the_budget(result):
    best = result["best"]
    assert str(best) == "9.8098(58)"
    budget = best.budget()
    assert list(budget)[:2] == ["stopwatch", "scale"]
    # of 0.4 mm in a metre, and what the runs share is in the covariances between them
    np.testing.assert_allclose(np.sqrt(best.variances["scale"]), 9.81 * 0.4e-3 / 1.01, rtol=0.01)
    shared = result["runs"].covariance() - np.diag(np.diag(result["runs"].covariance()))
    assert np.all(shared[~np.eye(6, dtype=bool)] > 1.4e-5)
