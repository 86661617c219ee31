"""Calls that are the same in all repetitions are made once, before the loop."""

import numpy as np

from chainrules_programs.compiling.executable import executable
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.recording.program import Call
from chainrules_programs.recording.record import record
from chainrules_programs.recording.repetitions import Loop
from chainrules_tape import grad

X = np.linspace(0.1, 0.9, 12)


def loops_of(function, *args):
    """The loops of a program, which computes what the function does."""
    program, value = record(function, args)
    found = optimized(program)
    np.testing.assert_array_equal(executable(found)(*args), value)
    return [step for step in found.steps if isinstance(step, Loop)]


def primals(loop):
    return [step.primal for step in loop.body if isinstance(step, Call)]


def test_a_call_that_reads_nothing_that_changes():
    def f(x, y):
        for _ in range(200):
            x = np.cos(x + np.sin(y))
        return np.sum(x)

    (loop,) = loops_of(f, X, X)
    assert primals(loop) == [np.add, np.cos]


def test_what_a_pullback_needs_of_it_is_not_kept_for_each_repetition():
    def f(x, y):
        for _ in range(200):
            x = x * np.sin(y[3])
        return np.sum(x)

    (back,) = loops_of(grad(f), X, X)
    assert (primals(back), back.streams) == ([np.multiply], [])


def test_an_array_that_is_written_stays():
    def f(x, y):
        for _ in range(200):
            part = np.zeros_like(y)
            part[2:4] = x[:2]
            x = np.cos(x + part)
        return x

    (loop,) = loops_of(f, X, X)
    assert np.zeros_like in primals(loop) or np.zeros in primals(loop)


def test_arrays_that_are_returned_are_no_views_of_each_other():
    def f(x):
        return [np.sin(x) for _ in range(400)]

    program, value = record(f, (X,))
    found = executable(optimized(program))(X)
    np.testing.assert_array_equal(found, value)
    found[0][:] = 0
    np.testing.assert_array_equal(found[1:], value[1:])
