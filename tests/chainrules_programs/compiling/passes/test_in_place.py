"""Elementwise results go into the memory of operands that nobody reads later."""

import numpy as np
import pytest

from chainrules_programs.compiling.passes.in_place import in_place
from chainrules_programs.recording.program import Call, Program, Value
from chainrules_programs.recording.record import record
from replaying import replay

X = np.linspace(1.0, 2.0, 10)


def into(function, *args):
    """Which steps of a function write into an operand; the results have the same bits."""
    program, y = record(function, args)
    found = in_place(program)
    np.testing.assert_equal(replay(found, [np.copy(x) for x in args]), y)
    return [step.into is not None for step in found.steps if isinstance(step, Call)]


def test_the_last_reader_takes_the_memory():
    assert into(lambda x: np.cos(np.sin(x)) * 2.0, X) == [False, True, True]


def test_memory_that_was_written_is_taken_once_nobody_reads_it():
    def f(x):
        y = np.zeros_like(x)
        part = y[2:]
        part += x[2:]
        return np.cos(y) + x

    assert into(f, X)[-2] is True


def test_memory_that_is_written_later_is_not_taken():
    def f(x):
        y = np.sin(x)
        part = y[2:]
        z = np.cos(y)
        part += x[2:]
        return z * part[0]

    assert into(f, X)[2] is False


def test_what_is_read_later_is_not_written():
    def f(x):
        y = np.sin(x)
        return y * np.cos(y)

    assert into(f, X) == [False, False, True]


def test_arguments_are_not_written():
    assert into(lambda x: np.sin(x[::-1]), X) == [False, False]


def test_results_are_not_written():
    def f(x):
        y = np.sin(x)
        return y, np.cos(y)

    assert into(f, X) == [False, False]


def test_memory_that_a_view_of_is_read_later_is_not_written():
    def f(x):
        y = np.sin(x)
        part = y[::2]
        return np.sum(np.cos(y)) + part

    assert into(f, X)[2] is False


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.cos(np.sin(x[:8])),  # small
        lambda x: np.sin(x) + np.sin(np.ones((2, 10))),
        lambda x: np.sin(x) > 1.0,  # of another dtype
        lambda x: np.sin(x) * 1j,
        lambda x: np.cos(np.broadcast_to(x, (2, 10))),  # without memory of its own
    ],
)
def test_memory_of_another_kind_is_not_taken(function):
    assert not any(into(lambda x: function(x) * np.ones(1), X)[:-1])


def test_a_matrix_and_its_transpose_do_not_meet():
    def f(x):
        y = np.sin(x)
        return y + y.T

    assert not any(into(f, np.ones((4, 4))))


def test_results_of_unknown_functions_may_be_known_to_others():
    def cached(x):
        raise AssertionError

    x, y, z = Value(X), Value(X + 1), Value(np.sin(X + 1))
    steps = [Call(cached, (x,), {}, y), Call(np.sin, (y,), {}, z)]
    assert in_place(Program((x,), steps, z)).steps == steps
