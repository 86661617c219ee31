import cupy
import numpy as np
import pytest
from diffusion import after, modes


@pytest.fixture
def plate():
    return cupy.asarray(np.random.default_rng(0).random((8, 6)))


def test_heat_is_kept(plate):
    assert float(after(plate, 20).sum()) == pytest.approx(float(plate.sum()))


def test_each_wave_fades_as_its_factor_says(plate):
    """A step multiplies a wave by one minus what the cosines of its two frequencies say."""
    rows, columns = np.meshgrid(np.arange(8) / 8, np.arange(4) / 6, indexing="ij")
    factors = 1 + 0.2 * (np.cos(2 * np.pi * rows) + np.cos(2 * np.pi * columns) - 2)
    expected = modes(plate).get() * np.abs(factors) ** 5
    np.testing.assert_allclose(modes(after(plate, 5)).get(), expected, atol=1e-12)


def test_the_least_mode_is_found(plate):
    symmetric = plate.T @ plate
    values, vectors = cupy.linalg.eigh(symmetric)
    cupy.testing.assert_allclose(symmetric @ vectors, vectors * values, atol=1e-10)
