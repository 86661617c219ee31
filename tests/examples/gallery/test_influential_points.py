"""The gradients of the measurements say which one is wrong, and what the fit is without it."""

import numpy as np

from slopes import quotients


def gradients_by_hand(program, parameters, rates):
    """The derivatives of each squared error, by the quotient rule."""
    largest, half = parameters
    c = program.CONCENTRATIONS
    residual = largest * c / (half + c) - rates
    return np.stack([residual * c / (half + c), -residual * largest * c / (half + c) ** 2], axis=1)


def test_the_wrong_measurement_has_the_largest_influence(program, result):
    assert np.argmax(np.abs(result["moves"][:, 1])) == program.WRONG


def test_the_shifts_are_those_of_new_fits(result):
    shifts = result["refits"] - result["best"]
    np.testing.assert_allclose(result["moves"], shifts, atol=0.35 * np.abs(shifts).max())
    correlation = np.corrcoef(result["moves"][:, 1], shifts[:, 1])[0, 1]
    assert correlation > 0.98


def test_the_hessian_is_that_of_finite_differences(program, result):
    best, rates = result["best"], result["rates"]
    curvature = quotients(lambda x: gradients_by_hand(program, x, rates).sum(axis=0), best)
    expected = np.linalg.solve(curvature, gradients_by_hand(program, best, rates).T).T
    np.testing.assert_allclose(result["moves"], expected, rtol=1e-6)
