"""The fit of a law in NumPy and a network in PyTorch gets better, by a gradient that finite
differences confirm.
"""

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed (extra: torch)")
pytest.importorskip("scipy", reason="scipy is not installed (extra: scipy)")


def test_the_gradient_agrees_with_finite_differences(load):
    example = load("torch_mixed_model")
    data, point = example.measurements(), example.flat(example.start())
    gradient = example.flat(example.value_and_grad(example.loss)(example.start(), *data)[1])

    def f(vector):
        return example.loss(example.unflat(vector), *data)

    direction = np.random.default_rng(1).normal(size=point.size)
    slope = (f(point + 1e-6 * direction) - f(point - 1e-6 * direction)) / 2e-6
    assert np.isclose(gradient @ direction, slope, rtol=1e-6)


def test_the_fit_explains_the_measurements(load):
    example = load("torch_mixed_model")
    data = example.measurements()
    assert example.fit(*data, iterations=60).fun < 0.1 * example.loss(example.start(), *data)
