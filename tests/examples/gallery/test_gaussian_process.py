"""The star turns as it was made to turn, the likelihood is SciPy's, and its gradient and
predictions are the known formulas.
"""

import numpy as np
import pytest

from chainrules_tape import grad
from slopes import quotients

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


def test_the_gradient_is_the_known_formula(program):
    times, brightness = program.observe()

    def covariance(logs):
        return program.covariance(times, np.exp(logs))

    logs = np.log(program.START)
    inverse = np.linalg.inv(covariance(logs))
    weights = inverse - np.outer(inverse @ brightness, inverse @ brightness)
    # Rasmussen and Williams (2006), equation 5.9
    expected = 0.5 * np.einsum("ij,ijk->k", weights, quotients(covariance, logs, 1e-5))
    np.testing.assert_allclose(grad(program.loss)(logs, times, brightness), expected, rtol=1e-5)
