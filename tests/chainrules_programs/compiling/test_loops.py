"""Passes within loops: one repetition is changed, and stands for all, with the same bits."""

from operator import setitem

import numpy as np
import pytest

from chainrules_programs.compiling.executable import executable
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.passes.loops import rolled
from chainrules_programs.recording.record import record
from chainrules_programs.recording.repetitions import Loop
from chainrules_tape import grad
from chainrules_tape.core.trees import flatten

X = np.linspace(0.1, 0.9, 12)


def loops_of(function, *args):
    """The loops of a program, which computes what the function does, and leaves the same behind."""
    program, value = record(function, tuple(map(np.copy, args)))
    found, own, known = optimized(program), [*map(np.copy, args)], [*map(np.copy, args)]
    function(*known)
    results = flatten((executable(found)(*own), own))[0]
    for y, expected in zip(results, flatten((value, known))[0], strict=True):
        np.testing.assert_array_equal(y, expected)
    return [step for step in found.steps if isinstance(step, Loop)]


def repeated(function):
    """A function that repeats another one on its first argument."""

    def f(x, *others):
        for _ in range(200):
            x = function(x, *others)
        return np.sum(x)

    return f


def with_a_part(x, y):
    part = np.zeros_like(y)
    part[2:4] = x[:2]
    return np.cos(x + part)


def two_of_which_one_counts(x, y):
    for _ in range(200):
        x, y = np.sin(x), np.cos(y)
    return x


def nothing_that_counts(x):
    y = x
    for _ in range(200):
        y = np.cos(y)
    return np.sin(x)


BODIES = {  # a function, its arguments, and what the last of its loops calls
    "nothing that changes": (repeated(lambda x, y: np.cos(x + np.sin(y))), (X, X), ["add", "cos"]),
    # what a pullback needs of it is not kept for each repetition
    "a factor": (grad(repeated(lambda x, y: x * np.sin(y[3]))), (X, X), ["multiply"]),
    "an array that is written": (repeated(with_a_part), (X, X), None),
    "what nobody needs": (two_of_which_one_counts, (X, X), ["sin"]),
    "a loop that nobody needs": (nothing_that_counts, (X,), []),
}


@pytest.mark.parametrize(("function", "args", "primals"), BODIES.values(), ids=BODIES)
def test_bodies(function, args, primals):
    loops = loops_of(function, *args)
    names = [step.primal.__name__ for each in loops[-1:] for step in each.body]
    if primals is None:
        assert "zeros_like" in names or "zeros" in names
    else:
        assert names == primals
        assert not any(each.streams for each in loops[-1:] if len(loops) == 1)


def test_arrays_that_are_returned_are_no_views_of_each_other():
    program, value = record(lambda x: [np.sin(x) for _ in range(400)], (X,))
    found = executable(optimized(program))(X)
    found[0][:] = 0
    np.testing.assert_array_equal(found[1:], value[1:])


def buffer(x):
    buffer = np.sin(x)
    before = np.copy(buffer)
    for k in range(200):
        buffer[k % 12] = buffer[(k + 5) % 12] * 0.5
    return before, buffer, np.copy(buffer)


def state(x):
    x = np.copy(x)
    for _ in range(200):
        x[1] = np.sin(x[2] + x[1])
        x[2] = x[1] * 0.5
    return x[0] * x[1]


@pytest.mark.parametrize(("function", "writes"), [(buffer, True), (state, False)])
def test_memory_that_loops_write_or_entries_that_they_hand_on(function, writes):
    (loop,) = loops_of(function, X)
    assert (setitem in [step.primal for step in loop.body]) is writes


def test_of_a_short_program_nothing_changes():
    program, _ = record(np.sin, (X,))
    assert rolled(program) is program
