"""Large arrays on their way to XLA: the memory of earlier calls, and nobody sees that."""

from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import numpy as np
import pytest

pytest.importorskip("jax")

from chainrules_tape import compiled

jax_inputs = import_module("chainrules_programs.compiling.jax_inputs")
SIZE = jax_inputs.LARGE // 8


def test_results_are_not_those_of_later_calls():
    def unchanged_and_doubled(x):
        return x, 2.0 * x, x[1:]

    step = compiled(unchanged_and_doubled, to="jax")
    x, y = np.ones(SIZE), np.full(SIZE, 7.0)
    step.prepare(x)
    before = step(x)
    step(y)
    for found, expected in zip(before, unchanged_and_doubled(x), strict=True):
        assert np.array_equal(found, expected)
    assert step.count_of_programs() == 1
    assert not step.reasons


def test_threads_have_memory_of_their_own():
    step = compiled(lambda x: (np.sin(x), x[0] + x[-1]), to="jax")
    step.prepare(np.zeros(SIZE))
    numbers = np.arange(200) / 7.0
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: step(np.full(SIZE, number)), numbers))
    for number, (sines, total) in zip(numbers, found, strict=True):
        np.testing.assert_allclose(sines, np.sin(number), rtol=1e-12)
        assert total == 2.0 * number


def test_a_call_that_meets_another_answer_leaves_nothing_behind():
    step = compiled(lambda x: x * 2.0 if x[0] > 0 else x - 1.0, to="jax")
    x = np.ones(SIZE)
    step.prepare(x)
    for sign in (1.0, -1.0, 1.0, -1.0):
        expected = sign * x * 2.0 if sign > 0 else sign * x - 1.0
        assert np.array_equal(step(sign * x), expected)
