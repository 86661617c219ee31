"""Short vectors that are filled entry by entry are made once, of numbers."""

from operator import setitem

import numpy as np
import pytest

import chainrules_tape.numpy as tnp
from chainrules_programs.compiling.executable import executable
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.passes.entries import entries
from chainrules_programs.compiling.passes.sums import sums
from chainrules_programs.recording.program import Call
from chainrules_programs.recording.record import record
from chainrules_programs.recording.repetitions import Loop
from chainrules_tape import grad, value_and_grad
from chainrules_tape.core.trees import flatten
from replaying import replay

X = np.linspace(0.1, 0.9, 4)


def steps_of(function, *args):
    """The steps of a program after the pass, which computes what the function does."""
    program, value = record(function, args)
    found = entries(sums(program))
    np.testing.assert_array_equal(replay(found, args), value, strict=True)
    return found.steps


def test_a_gradient_of_entries_writes_nothing():
    steps = steps_of(grad(lambda x: np.sin(x[0]) * x[1] + x[1] * x[3]), X)
    assert setitem not in [step.primal for step in steps]
    assert steps[-1].primal is np.array


def test_entries_that_nobody_has_written_are_zeros():
    (made,) = [s for s in steps_of(grad(lambda x: x[-1] * x[-1]), X) if s.primal is np.array]
    assert [type(x) for x in made.args[0][:3]] == [np.float64] * 3


def filled_in_turn(x):
    y = tnp.zeros(4)
    y[1] = x[0]
    before = np.sin(y)
    y[2] = x[1]
    return before + y


def through_a_view(x):
    y = tnp.zeros(4)
    y[1:3][0] = x[0]
    return y * 2


def by_a_slice(x):
    y = tnp.zeros(4)
    y[0] = x[0]
    y[1:] = x[1:]
    return y[0] * y


def at_a_place_that_is_computed(x):
    y = tnp.zeros(4)
    y[int(np.argmax(x))] = x[0]
    return y


def longer(x):
    y = tnp.zeros(40)
    y[3] = x[0]
    return y


@pytest.mark.parametrize(
    "function", [filled_in_turn, through_a_view, by_a_slice, at_a_place_that_is_computed, longer]
)
def test_what_is_read_or_written_otherwise(function):
    steps_of(function, X)
    steps_of(grad(lambda x: np.sum(function(x))), X)


@pytest.mark.parametrize("dtype", [np.float32, complex])
def test_vectors_in_other_precision_stay(dtype):
    steps = steps_of(grad(lambda x: np.real(x[0] * x[1])), X.astype(dtype))
    assert not any(isinstance(step, Call) and step.primal is np.array for step in steps)


def loops_of(function, *args):
    """The loops of a program, which computes what the function does."""
    program, value = record(function, args)
    found = optimized(program)
    for y, known in zip(flatten(executable(found)(*args))[0], flatten(value)[0], strict=True):
        np.testing.assert_array_equal(y, known, strict=True)
    return [step for step in found.steps if isinstance(step, Loop)]


def test_loops_hand_on_the_entries_of_sums():
    def f(y, p):
        for _ in range(200):
            y = y + 0.01 * np.stack([p[0] * y[1], p[1] * y[2], y[0], p[0] * y[3]])
        return np.sum(y * y)

    _, back = loops_of(value_and_grad(f, argnums=(0, 1)), X, X[::-1].copy())
    written = {step.into for step in back.body if step.primal is setitem}
    assert written.isdisjoint(back.outside)
    numbers = [each for each in back.carried if isinstance(each.name.array, np.float64)]
    assert len(numbers) == 2


def test_a_vector_that_a_loop_reads_otherwise_is_written():
    def f(x):
        y = x * 2.0
        for _ in range(200):
            y[1] = np.sin(y[2] + y[1])
            y[2] = np.sum(y) * 0.1
        return y

    (loop,) = loops_of(f, X)
    assert any(step.primal is setitem for step in loop.body)


def test_entries_that_a_loop_keeps():
    def f(x):
        y, kept = x * 2.0, []
        for _ in range(200):
            y[1] = np.sin(y[2] + y[1])
            y[2] = y[1] * 0.5
            kept.append(y[2])
        return y, np.stack(kept)

    assert loops_of(f, X)


def test_an_argument_that_a_loop_writes():
    def f(x):
        for _ in range(200):
            x[1] = np.sin(x[2] + x[1])
            x[2] = x[1] * 0.5
        return x[0]

    program, value = record(f, (X.copy(),))
    x, known = X.copy(), X.copy()
    assert executable(optimized(program))(x) == f(known) == value
    np.testing.assert_array_equal(x, known)
