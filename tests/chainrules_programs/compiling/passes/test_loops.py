"""Passes within loops: one repetition is changed, and stands for all."""

import numpy as np

from chainrules_programs.compiling.executable import executable
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.passes.loops import rolled
from chainrules_programs.recording.record import record
from chainrules_programs.recording.repetitions import Loop
from chainrules_tape import grad
from chainrules_tape.core.trees import flatten

X = np.linspace(0.1, 0.9, 12)


def loops_of(function, *args):
    """The loops of a program, which computes what the function does."""
    program, value = record(function, args)
    found = optimized(program)
    pairs = zip(flatten(executable(found)(*args))[0], flatten(value)[0], strict=True)
    for y, known in pairs:
        np.testing.assert_array_equal(y, known)
    return [step for step in found.steps if isinstance(step, Loop)]


def test_an_entry_that_is_read_twice_is_kept_once():
    def f(x):
        for _ in range(200):
            x = np.sin(x) * x[3] + np.cos(x) * x[3]
        return np.sum(x)

    forward, _ = loops_of(grad(f), X)
    kept = [each.name.array for each in forward.kept]
    assert sum(isinstance(x, np.float64) for x in kept) == 1


def test_what_nobody_needs_of_a_loop_is_left_out():
    def f(x, y):
        for _ in range(200):
            x, y = np.sin(x), np.cos(y)
        return x

    (loop,) = loops_of(f, X, X)
    assert [step.primal for step in loop.body] == [np.sin]
    assert len(loop.carried) == 1


def test_a_loop_that_nobody_needs_is_left_out():
    def f(x):
        y = x
        for _ in range(200):
            y = np.cos(y)
        return np.sin(x)

    assert loops_of(f, X) == []


def test_kept_arrays_that_are_written_later_are_copies():
    def f(x):
        kept = []
        for _ in range(200):
            x = np.sin(x)
            kept.append((x, np.copy(x)))
        for first, _ in kept:
            first[0] = 7.0
        return np.sum(np.stack([second for _, second in kept]), axis=0)

    loops_of(f, X)


def test_memory_that_a_loop_writes_is_known_around_it():
    def f(x):
        buffer = np.sin(x)
        before = np.copy(buffer)
        for k in range(200):
            buffer[k % 12] = buffer[(k + 5) % 12] * 0.5
        return before, buffer, np.copy(buffer)

    program, _ = record(f, (X,))
    steps = rolled(program).steps
    assert any(step.written for step in steps if isinstance(step, Loop))
    assert loops_of(f, X)


def test_of_a_short_program_nothing_changes():
    program, _ = record(np.sin, (X,))
    assert rolled(program) is program


def test_a_write_of_a_loop_may_be_at_an_index_that_counts():
    def f(x):
        a, kept = x, [x]
        for _ in range(40):
            a = np.tanh(np.outer(2 * x, a) @ x)
            kept.append(a)
        kept[-1] = kept[-1] * a[0]
        return np.sum(np.tanh(np.stack(kept)))

    weights = np.arange(1.0, 5.0)
    assert loops_of(grad(lambda x: np.sum(grad(f)(x) * weights)), X[:4])
