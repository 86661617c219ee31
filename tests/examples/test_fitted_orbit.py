"""The example of functions defined by an equation finds the truth, and its derivatives are those of
closed forms.
"""

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

pytest.importorskip("scipy")


def test_the_fit_finds_the_truth(
    load: Callable[[str], ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    example = load("fitted_orbit")
    example.main()
    truth, found = (
        np.fromstring(line.partition("[")[2].rstrip("]"), sep=" ")
        for line in capsys.readouterr().out.splitlines()[1:]
    )
    assert np.allclose(found, truth, atol=1e-3)


def test_the_orbit_has_the_derivative_of_its_equation(load: Callable[[str], ModuleType]) -> None:
    example = load("fitted_orbit")
    x = example.anomaly(1.0, 0.3)
    assert np.isclose(
        example.grad(example.anomaly, argnums=1)(1.0, 0.3), np.sin(x) / (1 - 0.3 * np.cos(x))
    )
