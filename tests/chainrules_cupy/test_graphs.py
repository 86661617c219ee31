"""Gradients that are replayed from a graph: at other numbers, on other streams, and what none can
hold.
"""

from functools import partial

import numpy as np
import pytest

import chainrules_tape as tape
from benchmarks.gpu_programs import PROGRAMS
from chainrules_cupy.errors import DeviceError
from chainrules_cupy.graphs import captured

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")

# CuPy refuses to capture what cuBLAS and cuFFT do
REFUSED = ("perceptron", "FFT deconvolution")


def prepared(program):
    """The gradient of a program, and its arguments on the device."""
    function = tape.value_and_grad(partial(program.loss, np))
    return function, tuple(map(cupy.asarray, program.inputs(program.small)))


@pytest.mark.parametrize(
    "program", [p for p in PROGRAMS if p.name not in REFUSED], ids=lambda program: program.name
)
def test_a_gradient_is_replayed_at_other_numbers(program):
    function, inputs = prepared(program)
    replay = captured(function, *inputs)
    for factor in (0.5, 1.5):
        inputs[0][...] *= factor
        value, gradient = replay()
        expected, expected_gradient = program.by_hand(cupy, *inputs)
        cupy.testing.assert_allclose(value, expected, rtol=1e-9)
        cupy.testing.assert_allclose(gradient, expected_gradient, rtol=1e-8, atol=1e-10)


def test_memory_that_is_given_back_is_not_the_graphs():
    x = cupy.linspace(0.1, 1.0, 50)
    replay = captured(tape.grad(lambda x: np.sum(np.sin(x) * np.exp(x))), x)
    cupy.get_default_memory_pool().free_all_blocks()
    others = [cupy.full(50, 7.0) for _ in range(20)]
    gradient = replay().copy()
    assert all(bool((other == 7).all()) for other in others)
    cupy.testing.assert_allclose(gradient, cupy.exp(x) * (cupy.sin(x) + cupy.cos(x)), rtol=1e-12)


def test_results_are_there_after_the_capture():
    x = cupy.arange(3.0)
    assert captured(lambda x: x * 2, x).results.tolist() == [0, 2, 4]


@pytest.mark.parametrize("name", REFUSED[:1])
def test_products_of_matrices_are_refused_in_a_sentence(name):
    program = next(program for program in PROGRAMS if program.name == name)
    function, inputs = prepared(program)
    with pytest.raises(DeviceError, match=r"cuBLAS.*call the function itself"):
        captured(function, *inputs)
    assert function(*inputs)[0].ndim == 0  # nothing is left in capture


def test_waiting_is_refused_in_a_sentence():
    with pytest.raises(DeviceError, match="captured"):
        captured(lambda x: x * float(x[0]), cupy.arange(3.0))


def test_errors_of_the_function_are_its_own():
    calls = []

    def failing(x):
        calls.append(x)
        if len(calls) == 2:
            raise KeyError("the second call")

    with pytest.raises(KeyError, match="second"):
        captured(failing, cupy.ones(2))
    assert captured(lambda x: x + 1, cupy.ones(2)).results.tolist() == [2, 2]
