"""Sums that are added up in place become new arrays, where nobody sees the difference."""

import numpy as np

from chainrules_programs.compiling.executable import executable
from chainrules_programs.compiling.passes.renewed import renewed
from chainrules_programs.recording.record import record
from chainrules_tape import grad

X = np.linspace(0.1, 0.9, 12)


def writes(program) -> int:
    return sum(getattr(step, "into", None) is not None for step in program.steps)


def left_of(function) -> tuple[int, int]:
    """How many writes a program has, and how many once its sums are new arrays."""
    program, value = record(function, (X,))
    found = renewed(program)
    for run in (executable(program), executable(found)):
        np.testing.assert_array_equal(run(X), value, strict=True)
        np.testing.assert_array_equal(run(X + 1), function(X + 1), strict=True)
    return writes(program), writes(found)


def test_cotangents_are_new_arrays():
    before, after = left_of(grad(lambda x: np.sum(x * np.sin(x) + x * np.cos(x) + x)))
    assert before > 2
    assert after == 0


def test_constants_are_those_of_their_time():
    def f(x):
        y = np.ones_like(x) + np.ones(12)
        z = y * 3.0
        y += np.ones(12)
        return x + y + z

    assert left_of(f) == (1, 0)


def test_views_after_a_sum_have_its_memory():
    def f(x):
        y = x + 1.0
        y += x
        return y[:5] * y[2:7]

    assert left_of(f) == (1, 0)


def test_views_before_a_sum_see_it():
    def f(x):
        y = x + 1.0
        part = y[3:]
        y += x
        return part * 2.0

    assert left_of(f) == (1, 1)


def test_other_writes_stay():
    def f(x):
        y = x + 1.0
        y += x
        y[2] = 3.0
        y += x
        return y

    assert left_of(f) == (3, 3)


def test_arguments_and_other_precisions_stay():
    def f(x):
        y = (x + 1.0).astype(np.float32)
        z = y + y
        z += x
        x += 1.0
        return z

    x = X.copy()
    program, value = record(f, (x,))
    assert writes(renewed(program)) == writes(program) == 2
    np.testing.assert_array_equal(executable(renewed(program))(X.copy()), value, strict=True)
