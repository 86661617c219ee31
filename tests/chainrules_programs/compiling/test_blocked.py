"""Large elementwise stretches run block by block: sums aside, with the bits of whole arrays."""

from importlib import import_module

import numpy as np
import pytest

from chainrules_programs.compiling.executable import executable
from chainrules_programs.compiling.passes import optimized
from chainrules_programs.compiling.passes.blocked import Blocked, blocked
from chainrules_programs.recording.record import record
from chainrules_tape import value_and_grad
from chainrules_tape.core.trees import flatten
from replaying import replay

module = import_module(
    "chainrules_programs.compiling.passes.blocked"
)  # the name is the function's, too
SIZE = 100_001  # not a multiple of a block
X = np.linspace(0.1, 2.0, SIZE)


def logistic(w, x):
    return np.sum(np.log1p(np.exp(-w * x)))


def blocks_of(function, *args):
    """The blocks of a program whose results, sums aside, have the bits of whole arrays."""
    program, _ = record(function, args)
    found = optimized(program)
    blocks = [step for step in found.steps if isinstance(step, Blocked)]
    others = [x * 1.01 for x in args]
    results = flatten(executable(found)(*others))[0]
    for y, known in zip(results, flatten(replay(program, others))[0], strict=True):
        if blocks and any(step.sums for step in blocks) and np.ndim(y) == 0:
            np.testing.assert_allclose(y, known, rtol=1e-13)
        else:
            np.testing.assert_array_equal(y, known, strict=True)
    return blocks


def test_a_value_and_its_gradient_are_one_stretch():
    (step,) = blocks_of(value_and_grad(logistic, argnums=(0, 1)), X, X[::-1].copy())
    assert len(step.outputs) == 2
    assert len(step.sums) == 1


def test_matrices_are_cut_into_rows():
    x = X[:100_000].reshape(1000, 100)
    (step,) = blocks_of(lambda x: np.sum(np.sin(np.cos(np.tanh(np.exp(-x) * x[0])))), x)
    assert step.rows == 163
    assert [np.shape(part.array) for part, _ in step.parts] == [(163, 100)]


@pytest.mark.parametrize("axis", [None, 0, -1, (0,)])
def test_sums_along_the_only_axis(axis):
    def f(x):
        y = np.exp(-x) * np.sin(x) * np.cos(x) + x
        return np.sum(y, axis=axis), np.add.reduce(y * y, axis=axis)

    (step,) = blocks_of(f, X)
    assert len(step.sums) == 2
    assert not step.outputs


def test_sums_along_one_of_two_axes_are_no_sums_of_a_block():
    x = X[:100_000].reshape(1000, 100)

    def f(x):
        y = np.exp(-x) * np.sin(x) * np.cos(x) + x
        return np.sum(y, axis=0), np.sum(y, axis=(0,)), np.sum(y, axis=1)

    (step,) = blocks_of(f, x)
    assert not step.sums


def test_entries_of_small_arrays_are_read_before_the_blocks():
    def f(x, w):
        return np.sum(np.exp(np.sin(x * w[0] + w[1]) * w[2]))

    (step,) = blocks_of(f, X, np.array([0.4, -0.2, 0.1]))
    assert len(step.body) == 5
    assert not step.outputs


def written_later(x, w):
    w = np.cos(w)
    y = np.exp(x * w[0]) * np.sin(x) + x
    w[1] = 5.0
    return np.sum(np.tanh(y * w[1]) * np.cos(y) + np.sqrt(x))


def filled(x, w):
    y = np.zeros_like(x)
    z = np.sin(y) * np.cos(x) + np.tanh(x) * x
    y[0] = 1.0
    return np.sum(z * np.sin(y) * np.cos(y) + y)


@pytest.mark.parametrize("f", [written_later, filled])
def test_memory_that_is_written_is_read_where_it_stands(f):
    blocks_of(f, X, np.array([0.4, -0.2, 0.1]))


def test_what_needs_a_sum_comes_after_it():
    def f(x):
        y = np.exp(-x) * np.sin(x) * np.cos(x) + x
        total = np.sum(y)
        return np.sum(np.tanh(np.sin(x * total) * total) + np.cos(x))

    assert len(blocks_of(f, X)) == 2


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: np.sum(np.sin(x)), X),  # too few operations
        (lambda x: (np.sin(x), np.cos(x), np.tanh(x), np.exp(x)), X),  # all is in memory anyway
        (lambda x: np.cumsum(np.cumsum(np.cumsum(np.cumsum(x)))), X),
        (value_and_grad(lambda x: logistic(x, x)), X[:90_000]),
    ],
)
def test_what_gains_nothing_is_left_alone(f, x):
    assert blocks_of(f, x) == []


def test_blocks_of_any_size(monkeypatch):
    monkeypatch.setattr(module, "SMALLEST", 10)
    x = np.linspace(0.1, 2.0, 50)
    for size in (1, 7, 49, 50, 51):
        monkeypatch.setattr(module, "BLOCK", size)
        assert blocks_of(value_and_grad(logistic, argnums=(0, 1)), x, x[::-1].copy())


def test_steps_of_other_shapes_stay():
    program, _ = record(lambda x: np.sum(np.sin(x[:5]) * np.cos(x[:5])), (X,))
    assert blocked(program).steps == program.steps


def test_entries_of_constants_are_read_at_positions():
    def f(x, positions):
        y = np.sin(np.cos(np.tanh(np.exp(-x))))
        return np.sum(y) * np.ones_like(x[:3])[positions]

    program, _ = record(f, (X, np.array([0, 2])))
    np.testing.assert_allclose(executable(optimized(program))(X, np.array([1, 1])), f(X, [1, 1]))
