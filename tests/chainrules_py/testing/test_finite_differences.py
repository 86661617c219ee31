"""Finite differences estimate derivatives with an honest error, and say where there is none."""

import numpy as np
import pytest

from chainrules_py.testing import Verdict, directional

SMOOTH = [  # function, point, derivative
    (np.sin, 0.5, np.cos(0.5)),
    (np.log, 1e-6, 1e6),
    (lambda x: x * x, 1e6, 2e6),
    (lambda x: np.exp(100 * x), 0.1, 100 * np.exp(10.0)),
    (lambda x: np.sin(1000 * x), 0.3, 1000 * np.cos(300.0)),
    (np.arcsin, 0.999, 1 / np.sqrt(1 - 0.999**2)),
    (lambda x: 1 / x, 1e-8, -1e16),
    (lambda x: np.float64(3.0), 0.5, 0.0),
    (lambda x: x * np.abs(x), 0.0, 0.0),
    (lambda x: np.abs(x - 0.01), 0.0, -1.0),
    (lambda x: np.abs(x - 1e-5), 0.0, -1.0),
]


@pytest.mark.parametrize(("f", "x", "slope"), SMOOTH)
def test_smooth_functions_to_nine_digits(f, x, slope):
    found = directional(f, x, 1.0)
    assert found.verdicts.tolist() == [Verdict.SMOOTH]
    assert found.value[0] == pytest.approx(slope, rel=1e-9, abs=1e-9)
    assert abs(found.value[0] - slope) <= 10 * found.error[0] + 1e-15 * abs(slope)


@pytest.mark.parametrize(
    ("f", "x", "left", "right"),
    [
        (np.abs, 0.0, -1.0, 1.0),
        (lambda x: np.maximum(x, 0.3), 0.3, 0.0, 1.0),
        (lambda x: x + 1e-2 * np.abs(x), 0.0, 0.99, 1.01),
    ],
)
def test_kinks_are_found_with_both_slopes(f, x, left, right):
    found = directional(f, x, 1.0)
    assert found.verdicts.tolist() == [Verdict.KINK]
    assert (found.left[0], found.right[0]) == (pytest.approx(left), pytest.approx(right))


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (np.sqrt, 0.0),
        (np.sign, 0.0),
        (np.floor, 1.0),
        (np.log, 0.0),
        (np.cbrt, 0.0),
        (np.arccosh, 1.0),
        (lambda x: 1 / np.float64(x), 0.0),
        (lambda x: 1 / np.float64(x) ** 2, 0.0),
        (lambda x: np.float64(np.nan), 0.5),
    ],
)
def test_no_derivative_is_said_and_no_number_given(f, x):
    found = directional(f, x, 1.0)
    assert found.verdicts.tolist() == [Verdict.DIVERGENT]
    assert np.isnan(found.value[0])


def raising(x):
    if x < 2.0:
        raise ValueError
    return x * x


@pytest.mark.parametrize("f", [raising, lambda x: x * x if x >= 2.0 else np.nan])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_at_an_edge_of_the_domain_one_side_is_enough(f, side):
    found = directional(f, 2.0, side)
    assert found.verdicts.tolist() == [Verdict.EDGE]
    assert found.value[0] == pytest.approx(4.0 * side, rel=1e-7)


def test_float32_functions_are_evaluated_in_double_precision():
    seen = []
    directional(
        lambda x: seen.append(x.dtype) or np.sin(x), np.ones(2, np.float32), np.ones(2, np.float32)
    )
    assert set(seen) == {np.dtype("float64")}


def test_a_function_that_rounds_to_float32_gets_an_honest_error():
    found = directional(lambda x: np.sin(np.float32(x)), 0.5, 1.0)
    assert abs(found.value[0] - np.cos(0.5)) <= found.error[0] < 1e-3


def test_few_evaluations_for_ordinary_functions():
    calls = []
    directional(lambda x: calls.append(1) or np.tanh(x), np.linspace(-2, 2, 50), np.ones(50))
    assert len(calls) <= 11


def test_a_kink_is_looked_at_again_from_near_by_and_then_believed():
    steps = []
    directional(lambda x: steps.append(abs(float(x))) or np.abs(x), 0.0, 1.0)
    assert len(steps) <= 23
    assert min(step for step in steps if step) < 1e-10


@pytest.mark.parametrize("width", [1e-2, 1e-4, 1e-6, 1e-8])
def test_a_bend_that_is_sharp_from_afar_is_smooth(width):
    found = directional(lambda x: x + np.sqrt(x * x + width * width), 0.0, 1.0)
    assert found.verdicts.tolist() == [Verdict.SMOOTH]
    assert found.value[0] == pytest.approx(1.0)
