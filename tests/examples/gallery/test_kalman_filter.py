"""The variances are the published ones, and the level is that of a Gaussian distribution
conditioned on all flows at once.
"""

import numpy as np
import pytest

pytest.importorskip("scipy")


def test_the_variances_are_those_of_the_textbook(result):
    # Durbin and Koopman (2012), section 2.10.3
    np.testing.assert_allclose(result["variances"], [15099.0, 1469.1], rtol=1e-3)


def test_the_level_is_the_conditional_mean(program, result):
    noise, walk = result["variances"]
    steps = np.diff(np.eye(program.FLOWS.size), axis=0)
    precision = np.eye(program.FLOWS.size) / noise + steps.T @ steps / walk
    np.testing.assert_allclose(
        result["level"], np.linalg.solve(precision, program.FLOWS / noise), rtol=1e-9
    )
    np.testing.assert_allclose(
        result["spread"], np.sqrt(np.diag(np.linalg.inv(precision))), rtol=1e-9
    )
