"""The gradients of the measurements say which one is wrong, and what the fit is without it."""

import numpy as np


def test_the_wrong_measurement_has_the_largest_influence(program, result):
    assert np.argmax(np.abs(result["moves"][:, 1])) == program.WRONG


def test_the_shifts_are_those_of_new_fits(result):
    shifts = result["refits"] - result["best"]
    np.testing.assert_allclose(result["moves"], shifts, atol=0.35 * np.abs(shifts).max())
    correlation = np.corrcoef(result["moves"][:, 1], shifts[:, 1])[0, 1]
    assert correlation > 0.98
