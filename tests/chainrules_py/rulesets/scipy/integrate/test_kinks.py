"""Kinks of functions of one variable, found by their values."""

import numpy as np
import pytest

from chainrules_py.rulesets.scipy.integrate.kinks import kink_of

KINKED = {
    "two lines": (lambda x: np.abs(x - 0.3), 0.3),
    "between curves": (lambda x: np.maximum(np.exp(x), 1.5 + x), None),
    "near an end": (lambda x: np.abs(x - 1e-5) + x, 1e-5),
    "in the middle": (lambda x: np.minimum(x, 0.5), 0.5),
    "a jump": (lambda x: np.where(x > 0.7, 2.0, np.sin(x)), 0.7),
    "the larger one of two": (lambda x: np.abs(x - 0.2) + 3 * np.abs(x - 0.6), 0.6),
}
SMOOTH = {
    "constant": lambda x: 0 * x + 3.0,
    "a line": lambda x: 2 * x - 1,
    "a wave": lambda x: np.sin(20 * x),
    "steep": lambda x: np.tanh(50 * (x - 0.3)),
    "a root at the end": np.sqrt,
    "a pole at the end": lambda x: 1 / np.sqrt(x),
    "not a number": lambda x: np.log(x - 0.5),
}


@pytest.mark.parametrize("name", KINKED)
def test_a_kink_is_found(name):
    function, place = KINKED[name]
    if place is None:
        low, high = 0.5, 1.0
        for _ in range(60):  # where the two curves cross
            middle = (low + high) / 2
            low, high = (middle, high) if np.exp(middle) < 1.5 + middle else (low, middle)
        place = low
    assert np.isclose(kink_of(function), place, rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", SMOOTH)
def test_a_smooth_function_has_none(name):
    with np.errstate(all="ignore"):
        assert kink_of(SMOOTH[name]) is None
