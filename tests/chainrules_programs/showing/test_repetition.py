"""Repeated stretches are found wherever they are, and nothing is folded that differs by more than
numbers.
"""

import numpy as np
import pytest

from chainrules_programs.showing.program import read_program
from chainrules_programs.showing.repetition import Repetitions, longest_run

X = np.linspace(0.5, 1.5, 3)


def stretches(function, *args):
    return [
        (s.start, s.period, s.count) for s in Repetitions(read_program(function, *args)).stretches
    ]


def powers(x, count):
    y = x
    for _ in range(count):
        y = np.sin(y) * x
    return y


def nested(x):
    for _ in range(5):
        for _ in range(12):
            x = np.sin(x)
        x = np.cos(x)
    return x


def two_in_a_row(x):
    items = [x[k] for k in range(12)]
    total = items[0]
    for item in items[1:]:
        total = total + item * item
    return total


def growing(x):
    for _ in range(10):
        x = np.concatenate([x, x[:1]])  # another shape each time
    return x


def alternating(x, y):
    for k in range(24):
        x = np.minimum(x, x if k % 3 else y)
    return x


def test_a_loop_is_a_stretch():
    # the first time, both operands are x
    assert stretches(lambda x: powers(x, 60), X) == [(2, 2, 59)]
    (found,) = Repetitions(read_program(lambda x: powers(x, 60), X)).stretches
    assert found.carried == {"v2": "v4"}
    assert found.stop == 120


def test_what_would_hide_little_stays():
    assert stretches(lambda x: powers(x, 4), X) == []


def test_loops_in_loops():
    *_, outer = Repetitions(read_program(nested, X)).stretches
    assert (outer.period, outer.count) == (13, 4)
    assert [(inner.period, inner.count) for inner in outer.parts] == [(1, 12)]


def test_what_a_loop_takes_from_another_one_by_one():
    assert stretches(two_in_a_row, np.ones(12)) == [(0, 1, 12), (14, 2, 10)]


def test_two_values_back():
    def fibonacci(x):
        a, b = x, np.sin(x)
        for _ in range(20):
            a, b = b, a + b
        return b

    (found,) = Repetitions(read_program(fibonacci, X)).stretches
    assert (found.period, found.count) == (1, 19)
    assert found.carried == {"v1": "v2", "v2": "v3"}


@pytest.mark.parametrize(
    ("function", "args"), [(growing, (X,)), (lambda *xs: np.stack(xs), (X,) * 30)]
)
def test_shapes_that_change_and_many_operands(function, args):
    assert stretches(function, *args) == []


def test_a_pattern_is_repeated_as_a_whole():
    assert [period for _, period, _ in stretches(alternating, X, X)] == [3]


@pytest.mark.parametrize(
    ("bits", "found"), [("", (0, 0)), ("000", (0, 0)), ("0110111", (4, 3)), ("111", (0, 3))]
)
def test_longest_run(bits, found):
    assert longest_run(np.array([bit == "1" for bit in bits], bool)) == found
