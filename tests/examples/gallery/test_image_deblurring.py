"""The sharpened picture is nearer to the truth than the best linear filter's."""

import numpy as np
import pytest

pytest.importorskip("scipy")


def test_the_picture_is_nearer_to_the_truth_than_a_wiener_filter(program, result):
    path, seen = result["path"], np.fft.rfft2(result["seen"])
    filtered = [
        np.fft.irfft2(seen * np.conj(path) / (abs(path) ** 2 + ridge), s=result["seen"].shape)
        for ridge in np.geomspace(1e-4, 1, 30)
    ]
    best = max(program.decibels(picture, result["truth"]) for picture in filtered)
    assert result["after"] > max(best + 2, result["before"] + 6)
