"""The fit of a damped oscillation finds the truth in both engines, and their gradients agree with
finite differences.
"""

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

pytest.importorskip("autograd")
pytest.importorskip("scipy")


def test_both_fits_find_the_truth(
    load: Callable[[str], ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    example = load("autograd_mixed_model")
    example.main()
    truth, *fits = (
        np.fromstring(line.partition("[")[2].rstrip("]"), sep=" ")
        for line in capsys.readouterr().out.splitlines()
    )
    assert len(fits) == 2
    assert all(np.allclose(found, truth, atol=0.02) for found in fits)


def test_the_gradient_is_the_slope(load: Callable[[str], ModuleType]) -> None:
    example = load("autograd_mixed_model")
    x, d, seen = np.array([1.8, 0.6, 2.9]), np.array([0.3, -1.0, 0.5]), example.observations()
    slope = (
        example.loss_in_numpy(x + 1e-6 * d, seen) - example.loss_in_numpy(x - 1e-6 * d, seen)
    ) / 2e-6
    assert np.isclose(
        example.value_and_grad(example.loss_in_numpy)(x, seen)[1] @ d, slope, rtol=1e-6
    )
