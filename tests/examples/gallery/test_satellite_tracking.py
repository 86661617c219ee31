"""The fitted orbit is the true one within its errors, the library is the published one, and its
derivatives are differences.
"""

import numpy as np
import pytest

from chainrules_tape import jacobian, seen_through

pytest.importorskip("scipy")
pytest.importorskip("sgp4")


def test_the_orbit_is_found_within_its_errors(program, result):
    away = (result["best"] - program.TRUTH) / np.sqrt(np.diag(result["covariance"]))
    assert np.all(np.abs(away) < 3.5)
    guessed, fitted = (
        np.linalg.norm(
            np.subtract(program.positions(x, [2880.0]), program.positions(program.TRUTH, [2880.0]))
        )
        for x in (result["start"], result["best"])
    )
    assert fitted < 5 < 100 < guessed  # km, a day after the last fix


def test_the_library_gives_the_published_places(program):
    found = program.positions(program.TRUTH, [0.0, 360.0])
    published = [
        [7022.46529266, -1400.08296755, 0.03995155],
        [-7154.03120202, -3783.17682504, -3536.19412294],
    ]
    # km: two digits of the elements are printed less here
    np.testing.assert_allclose(found, published, atol=2.0)


def test_the_derivatives_agree_with_differences(program, result):
    scaled, steps = result["best"] / program.SCALES, 1e-3 * np.eye(6)
    with seen_through("sgp4"):
        slopes = jacobian(program.misfit)(scaled, result["fixes"])
    for column, step in zip(slopes.T, steps, strict=True):
        above, below = (program.misfit(scaled + sign * step, result["fixes"]) for sign in (1, -1))
        np.testing.assert_allclose(
            column, (above - below) / 2e-3, atol=1e-4 * np.max(np.abs(slopes))
        )
