"""What a recording holds, and what it leaves as it was."""

import gc
from collections import namedtuple

import numpy as np
import pytest

from chainrules_programs.recording.errors import NotRecordedError
from chainrules_programs.recording.program import Call, Value, values_of, with_values
from chainrules_programs.recording.record import is_input, record
from chainrules_tape import grad, value_and_grad
from recorded_calls import check_recording, replayed

RNG = np.random.default_rng(0)
A, X, V = RNG.normal(size=(3, 3)), RNG.normal(size=3), RNG.normal(size=3)


def loss(x):
    return np.sum(np.tanh(A @ x) ** 2 * np.exp(-x))


def test_single_precision_stays_single():
    program = check_recording(
        value_and_grad(loss), (X.astype("f4"),), (V.astype("f4"),), tolerance=1e-6
    )
    assert program.result[1].array.dtype == np.float32


def test_leaves_that_are_inputs():
    inputs = (np.ones(2), np.array([1, 2]), 1.5, 1j, np.float32(1))
    constants = (2, True, "text", None, np.int64(3), np.array(["a"]))
    assert all(map(is_input, inputs))
    assert not any(map(is_input, constants))


def test_the_result_holds_values_where_something_was_computed():
    program, value = record(lambda x, n: {"y": x * n, "n": n}, (X, 3))
    assert isinstance(program.result["y"], Value)
    assert program.result["n"] == value["n"] == 3
    assert len(program.inputs) == 1


def test_values_answer_nothing_after_the_recording():
    escaped = []
    record(lambda x: escaped.append(x + 1) or x, (X,))
    assert type(escaped[0]) is Value
    assert escaped[0].recording is None


def test_an_error_leaves_arguments_as_they_were():
    def function(x):
        x[0] = 5.0
        return float(x[1])

    x = X.copy()
    with pytest.raises(NotRecordedError):
        record(function, (x,))
    np.testing.assert_array_equal(x, X)


def test_writes_into_arguments_are_steps():
    def function(x):
        x[0] = 5.0
        return x * 2

    x = X.copy()
    program, value = record(function, (x,))
    other = V.copy()
    found = replayed(program, (other,))
    assert x[0] == other[0] == 5.0
    assert value[0] == found[0] == 10.0


def test_the_collector_runs_again_afterwards():
    before = gc.get_threshold()
    assert before[0] > 0
    record(loss, (X,))
    assert gc.get_threshold() == before
    with pytest.raises(ZeroDivisionError):
        record(lambda x: 1 / 0, (X,))
    assert gc.get_threshold() == before


def test_steps_of_a_pullback_are_strict():
    program, _ = record(grad(loss), (X,))
    calls = [step for step in program.steps if isinstance(step, Call)]
    assert {step.strict for step in calls if step.primal is np.tanh} == {False}
    assert any(step.strict for step in calls)


def test_a_program_without_steps():
    program, value = record(lambda x, n: (x, n), (X, 3))
    assert program.steps == []
    np.testing.assert_array_equal(value[0], X)
    check_recording(lambda x: x.shape, (X,))


Pair = namedtuple("Pair", "x y")
ONE, TWO = Value(1.0), Value(2.0)


def test_values_in_operands():
    assert values_of((ONE, [2, {"b": TWO}], slice(None, ONE))) == [ONE, TWO, ONE]
    assert values_of((1, "text", slice(2))) == []


def test_operands_with_other_values():
    operand = (ONE, [2, {"b": TWO}], slice(None, ONE), Pair(TWO, 3))
    found = with_values(operand, lambda value: value.array)
    assert found == (1.0, [2, {"b": 2.0}], slice(None, 1.0), Pair(2.0, 3))
    assert type(found[3]) is Pair
