"""What a recording holds, and what it leaves as it was."""

import gc

import numpy as np
import pytest

from chainrules_programs.recording.errors import NotRecordedError
from chainrules_programs.recording.program import Value
from chainrules_programs.recording.record import record
from chainrules_tape import value_and_grad
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


def test_a_program_without_steps():
    program, value = record(lambda x, n: (x, n), (X, 3))
    assert program.steps == []
    np.testing.assert_array_equal(value[0], X)
    check_recording(lambda x: x.shape, (X,))
