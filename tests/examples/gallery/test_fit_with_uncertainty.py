"""The fitted gamma line is the true one within its errors, and these are the ones that Fisher's
information promises.
"""

import numpy as np
import pytest

pytest.importorskip("scipy")


def slopes_by_hand(parameters, energies, width):
    area, energy, sigma, _, _ = parameters
    z = (energies - energy) / sigma
    line = width * np.exp(-0.5 * z**2) / (np.sqrt(2 * np.pi) * sigma)
    columns = [
        line,
        area * line * z / sigma,
        area * line * (z**2 - 1) / sigma,
        0 * z + 1,
        energies - 662.0,
    ]
    return np.stack(columns, axis=1)


def test_the_fit_finds_the_truth(program, result):
    errors = np.sqrt(np.diag(result["covariance"]))
    assert np.all(np.abs(result["best"] - program.TRUTH) < 3 * errors)
    assert errors[1] < 0.3  # keV, for a line that is 20 keV wide


def test_the_covariance_is_that_of_the_counts(program, result):
    expected = program.spectrum(program.TRUTH, program.ENERGIES)
    slopes = slopes_by_hand(program.TRUTH, program.ENERGIES, program.WIDTH)
    # Fisher's, which differs by the noise of one spectrum
    promised = np.linalg.inv(slopes.T @ (slopes / expected[:, None]))
    np.testing.assert_allclose(np.diag(result["covariance"]), np.diag(promised), rtol=0.2)
