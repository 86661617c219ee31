"""The fitted orbit is the true one within its errors, and the library is the published one."""

import numpy as np
import pytest

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
