"""Sums into known entries are one step of a recording, and become reads, sums and writes."""

import shutil

import numpy as np
import pytest

from chainrules_programs.compiling.executable import executable
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.passes.sums import sums
from chainrules_programs.recording.record import record
from chainrules_tape import compiled, grad
from replaying import replay

X = np.linspace(0.1, 0.9, 6)


def of_numbers(x):
    return x[0] * x[1] + x[0] * x[-1]


def of_slices(x):
    return np.sum(x[1:4] * x[:3]) + x[0]


def of_rows(x):
    rows = np.reshape(x, (2, 3))
    return np.sum(rows[0] * rows[1]) + rows[0, 2] + np.sum(rows[:, None, 1])


def in_a_loop(x):
    y = x
    for k in range(80):
        y = 0.9 * y + 0.1 * np.stack([y[1] * y[k % 2], y[0], *y[2:5], y[k % 3]])
    return np.sum(y)


def is_sum(step) -> bool:
    return getattr(step, "primal", None) == np.add.at


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
@pytest.mark.parametrize("function", [of_numbers, of_slices, of_rows, in_a_loop])
def test_sums_into_entries_are_one_step(function, dtype):
    x = X.astype(dtype)
    program, value = record(grad(lambda x: np.real(function(x))), (x,))
    assert any(map(is_sum, program.steps))
    parts = sums(program)
    assert not any(map(is_sum, parts.steps))
    for run in (executable(program), executable(parts), executable(optimized(program))):
        np.testing.assert_array_equal(run(x), value, strict=True)
    np.testing.assert_array_equal(replay(parts, (x,)), value, strict=True)


def test_positions_stay_as_they_are():
    positions = np.array([1, 1, 3])
    program, value = record(grad(lambda x: np.sum(x[positions] ** 2)), (X,))
    assert sums(program) is program
    np.testing.assert_array_equal(executable(optimized(program))(X), value)


TABLE = np.linspace(-1.0, 1.0, 240).reshape(80, 3)


def of_changing_rows(x):
    state, rows = x[:3], np.reshape(np.concatenate([np.tile(x, 40)]), (80, 3)) * TABLE
    for k in range(80):
        state = np.tanh(0.5 * state + rows[k])
    return np.sum(state)


def of_changing_slices(x):
    state, long = x[:3], np.tile(x, 8)
    for k in range(40):
        state = np.tanh(0.5 * state + long[k : k + 3] * long[40 - k])
    return np.sum(state)


def of_all_entries(x):
    total, many = x[0], np.sin(np.tile(x, 20))
    for k in range(100):
        total = np.cos(total * many[k] + many[99 - k])
    return total


@pytest.mark.parametrize("to", ["numpy", "math", "c", "jax"])
@pytest.mark.parametrize("function", [of_changing_rows, of_changing_slices, of_all_entries])
def test_sums_into_entries_that_change_in_a_loop(function, to):
    if to == "jax":
        pytest.importorskip("jax", reason="jax is not installed (extra: jax)")
    if to == "c" and shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    step = compiled(grad(function), to=to)
    step.prepare(X)
    for k in range(3):
        x = X * 1.1**k
        np.testing.assert_allclose(step(x), grad(function)(x), rtol=1e-10)
    assert step.count_of_programs() == 1
