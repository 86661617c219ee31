"""The star turns as it was made to turn, and the likelihood is SciPy's."""

import numpy as np
import pytest

stats = pytest.importorskip("scipy.stats")


def test_the_truth_is_found_within_its_errors(program, result):
    away = np.log(result["best"] / program.TRUTH) / result["deviations"]
    assert np.all(np.abs(away) < 3)
    assert abs(result["best"][2] - program.TRUTH[2]) < 0.3
    assert result["deviations"][2] < 0.02


def test_the_likelihood_is_scipys(program, result):
    times, brightness = program.observe()
    distribution = stats.multivariate_normal(cov=program.covariance(times, result["best"]))
    assert np.isclose(result["loss"], -distribution.logpdf(brightness), rtol=1e-9)
