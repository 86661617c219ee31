"""Numbers by Python's floats: the function's results, classes and errors, and its strong zeros."""

import math
import operator
import warnings

import numpy as np
import pytest

from chainrules_programs.compiling.passes.numbers import OF_PYTHON, numbers
from chainrules_programs.recording.record import record
from chainrules_tape import compiled, grad, value_and_grad
from replaying import replay


def steps_of(function, *args):
    program, y = record(function, args)
    found = numbers(program)
    again = replay(found, list(args))
    np.testing.assert_allclose(again, y, rtol=1e-15)
    assert type(again) is type(y)
    return [step.primal for step in found.steps]


@pytest.mark.parametrize("x", [1.3, np.float64(0.7)])
def test_functions_of_numbers_are_those_of_math(x):
    found = steps_of(lambda x: np.sin(x) * np.exp(-x) + np.sqrt(2.0 + x) / 3, x)
    assert {math.sin, math.exp, math.sqrt, operator.mul, operator.truediv} <= set(found)
    assert not any(isinstance(primal, np.ufunc) for primal in found)


@pytest.mark.parametrize("ufunc", [each for each in OF_PYTHON if isinstance(each, np.ufunc)])
def test_each_function_is_that_of_its_name(ufunc):
    args = (np.float64(0.3), 0.8)[: ufunc.nin]
    assert OF_PYTHON[ufunc](*args) == pytest.approx(float(ufunc(*args)), rel=1e-15)


@pytest.mark.parametrize("x", [np.float32(0.3), np.complex128(0.3j), np.ones(1)])
def test_others_than_numbers_of_double_precision_stay(x):
    program, _ = record(lambda x: np.sin(x) * x + 1.0, (x,))
    before = [step.primal for step in program.steps]
    assert [step.primal for step in numbers(program).steps] == before


def test_numbers_beside_arrays_are_numpys_again():
    single = np.ones(3, np.float32)

    def f(x):
        return np.sin(x) * single

    step = compiled(f, to="math")
    step.prepare(0.5)
    found, expected = step(0.5), f(0.5)
    assert step.count_of_programs() == 1
    assert found.dtype == expected.dtype == np.float64
    assert np.array_equal(found, expected)


def test_results_are_of_the_class_that_they_were():
    def f(x, y):
        return np.sin(x), x * y, np.tanh(y), 1.0 / x

    step = compiled(f, to="math")
    args = 0.7, np.float64(1.1)
    step.prepare(*args)
    for found, expected in zip(step(*args), f(*args), strict=True):
        assert type(found) is type(expected)
        assert found == pytest.approx(expected, rel=1e-15)


def newton(x):
    y = x
    for _ in range(20):
        y = 0.5 * (y + x / y)
    return y


def test_sums_and_quotients_have_the_same_bits():
    function = value_and_grad(newton)
    step = compiled(function, to="math")
    step.prepare(2.0)
    for x in (2.0, 0.3, 1e-5, 7.7e9):
        value, slope = step(x)
        assert (value, slope) == function(x)
        assert slope == pytest.approx(0.5 / math.sqrt(x), rel=1e-6)  # of the square root
    assert step.count_of_programs() == 1


EDGES = {
    "a logarithm": (lambda x: np.log(x) * 2.0, 0.0),
    "its domain": (lambda x: np.log(x) * 2.0, -1.0),
    "a quotient": (lambda x: 1.0 / np.sin(x), 0.0),
    "an overflow": (lambda x: np.exp(x), 1000.0),
    "a root's slope": (lambda x: np.sqrt(x) * 3.0, 0.0),
    "a sine of infinity": (lambda x: np.sin(x), np.inf),
    "nan": (lambda x: np.sin(x), np.nan),
    "zero times infinity": (lambda x: 0.0 * np.sqrt(x), 0.0),
    "infinity times zero": (lambda x: np.cosh(x) * x / (1.0 + x), -1.0),
}


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("transform", [lambda f: f, grad, value_and_grad])
def test_where_numbers_end_the_function_is_called(edge, transform):
    function, x = EDGES[edge]
    function = transform(function)
    step = compiled(function, to="math")
    step.prepare(0.5)
    assert step.count_of_programs() == 1
    for _ in range(5):  # the first few are left to the function because of what it warns of
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_equal(step(x), function(x))
    assert not step.faults


def test_pullbacks_that_can_lose_a_nan_stay():
    def f(x):
        return np.maximum(np.sin(x), 0.1) * x

    program, _ = record(grad(f), (0.5,))
    strict = [step.primal for step in numbers(program).steps if getattr(step, "strict", False)]
    assert not set(strict) & set(OF_PYTHON.values()) - set(OF_PYTHON)


def test_questions_are_asked():
    step = compiled(value_and_grad(lambda x: np.sin(x) if np.cos(x) > 0.0 else x * x), to="math")
    for x in (0.5, 0.6, 2.0, 2.5, 0.7):
        value, slope = step(x)
        assert value == pytest.approx(math.sin(x) if x < 1 else x * x, rel=1e-15)
        assert slope == pytest.approx(math.cos(x) if x < 1 else 2 * x, rel=1e-15)
    assert step.count_of_programs() == 2
