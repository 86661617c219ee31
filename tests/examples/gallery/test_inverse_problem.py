"""The plate that was found is nearly the true one, and explains the readings."""

import numpy as np
import pytest

pytest.importorskip("scipy")


def test_the_plate_is_found(program, result):
    truth, found = result["truth"], result["found"]
    assert np.corrcoef(truth, found)[0, 1] > 0.85
    conductivity = [np.exp(np.median(found[truth == level])) for level in np.unique(truth)]
    np.testing.assert_allclose(conductivity, [0.2, 1.0, 5.0], rtol=0.3)


def test_the_readings_are_explained_to_their_noise(result):
    assert 0.8 < result["misfit"] < 1.1
