"""What is computed twice of the same operands is computed once."""

import numpy as np
import pytest

from chainrules_programs.compiling.executable import executable
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.passes.common import common
from chainrules_programs.recording.program import Call, Program, Value
from chainrules_programs.recording.record import record

X = np.linspace(1.0, 2.0, 6)


def primals(function, *args):
    """The functions that are left in a function's program."""
    steps = common(record(function, args)[0]).steps
    return [step.primal for step in steps if isinstance(step, Call)]


def test_equal_calls_are_made_once():
    assert primals(lambda x: np.sin(x) * np.sin(x), X) == [np.sin, np.multiply]
    assert primals(lambda x: x[1:] * x[1:], X)[1:] == [np.multiply]


def test_constants_are_compared_by_their_bits():
    assert primals(lambda x: (x + np.ones(6)) * (x + np.ones(6)), X) == [np.add, np.multiply]


@pytest.mark.parametrize(
    ("one", "other"), [(0.0, -0.0), (1, 1.0), (1, True), (np.float32(1), np.float64(1))]
)
def test_equal_numbers_of_other_bits_or_types_are_two(one, other):
    assert primals(lambda x: (x + one) * (x + other), X).count(np.add) == 2


def test_options_and_results_count():
    assert primals(lambda x: np.sum(x, axis=0) + np.sum(x, axis=1)[0], np.eye(2)).count(np.sum) == 2


def test_reads_before_and_after_a_write_are_two():
    def f(x):
        y = np.zeros_like(x)
        before = np.sin(y)
        y[0] = x[0]
        return before + np.sin(y)

    assert primals(f, X).count(np.sin) == 2


def test_what_is_random_is_drawn_each_time():
    first, second = Value(np.ones(3)), Value(np.ones(3))
    steps = [Call(np.random.standard_normal, (3,), {}, v) for v in (first, second)]
    assert common(Program((), steps, (first, second))).steps == steps


def test_two_results_stay_two():
    x = Value(X)
    first, second = Value(np.sin(X)), Value(np.sin(X))
    steps = [Call(np.sin, (x,), {}, v) for v in (first, second)]
    assert common(Program((x,), steps, (first, second))).result == (first, second)


def test_a_silent_nan_does_not_stand_for_one_that_is_an_error():
    x = Value(X)
    first, second, total = Value(np.log(X)), Value(np.log(X)), Value(2 * np.log(X))
    steps = [
        Call(np.log, (x,), {}, first),
        Call(np.log, (x,), {}, second, strict=True),
        Call(np.add, (first, second), {}, total),
    ]
    assert common(Program((x,), steps, total)).steps == steps


def test_a_value_of_which_views_are_read_is_not_replaced():
    def f(x):
        first, second = np.sin(x), np.sin(x)
        part = second[1:]
        doubled = first * 2.0  # may be written into the memory of `first`
        return np.concatenate([part, doubled])

    x = np.linspace(0.0, 1.0, 20)
    program, expected = record(f, (x,))
    np.testing.assert_array_equal(executable(optimized(program))(x), expected)
