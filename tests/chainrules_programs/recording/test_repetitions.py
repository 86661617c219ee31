"""Which repetitions become loops, how often these repeat, and their text."""

import numpy as np
import pytest

from chainrules_programs.compiling.executable import executable
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.passes.loops import rolled
from chainrules_programs.compiling.source import FunctionText
from chainrules_programs.recording.record import record
from chainrules_programs.recording.repetitions import Loop, longest
from chainrules_tape import grad, value_and_grad
from chainrules_tape.core.trees import flatten

X = np.linspace(0.1, 0.9, 12)
STEPS = 200


def euler(x):
    for _ in range(STEPS):
        x = x + 0.01 * np.sin(x)
    return np.sum(x)


def two_states(x):
    y = x * 2
    for _ in range(STEPS):
        x, y = np.sin(x + y), np.cos(y - x)
    return np.sum(x * y)


@pytest.mark.parametrize("f", [euler, two_states])
def test_the_text_does_not_grow_with_the_steps(f):
    lines = FunctionText(optimized(record(grad(f), (X,))[0])).lines
    assert len(lines) < 100


def counts_of(function, *args):
    """How often the loops of a program repeat, which computes what the straight one does."""
    program, value = record(function, args)
    found = optimized(program)
    copies = [np.copy(x) for x in args]
    for y, known in zip(flatten(executable(found)(*copies))[0], flatten(value)[0], strict=True):
        np.testing.assert_array_equal(y, known, strict=True)
    return [step.count for step in found.steps if isinstance(step, Loop)]


def test_the_last_repetition_makes_arrays_where_the_others_do():
    def f(x):
        total, state = np.cos(x), np.sin(x)
        for _ in range(STEPS):
            state = state * x  # the last one might be written over
            total = total + np.tanh(state)
        return total

    assert counts_of(f, X) == [STEPS]


def test_sums_of_cotangents_are_written_in_place_from_the_first_on():
    def f(weight, state):
        total = 0.0
        for _ in range(STEPS):
            state = np.tanh(weight * state) * 0.9
            total = total + np.sum(state * state)
        return total

    # the first value of `total` is Python's number, the first cotangent is not added to another, and
    # the second makes the array to which the others are added
    counts = [STEPS - 1, STEPS - 2]
    assert counts_of(value_and_grad(f, argnums=(0, 1)), X, X[::-1].copy()) == counts


def test_longest():
    assert longest(np.array([7, 8, *[1, 2, 3] * 20, 9]))[:2] == [([(2, 57)], 3), ([(2, 54)], 6)]
    assert longest(np.arange(100)) == []
    assert longest(np.array([], np.int64)) == []


def test_of_several_periods_that_is_taken_whose_operands_follow_a_rule():
    def f(x, y):
        for k in range(300):
            x = np.minimum(x, x * 0.5 if k % 3 else y)
        return x

    program, value = record(f, (X, X**2))
    (loop,) = [step for step in rolled(program).steps if isinstance(step, Loop)]
    assert len(loop.body) == 5
    np.testing.assert_array_equal(executable(optimized(program))(X, X**2), value)
