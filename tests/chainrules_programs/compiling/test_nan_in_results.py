"""The search for NaN in results, wherever it stands in whatever containers."""

from collections import namedtuple

import numpy as np
import pytest

from chainrules_programs.compiling.nan_in_results import FEW, nan_finder, parts_with_nan
from chainrules_programs.recording.program import Call, Program, Value
from chainrules_programs.recording.record import record
from chainrules_tape import compiled, grad, vmap

Pair = namedtuple("Pair", "one other")
LEAVES = [
    np.float64(2.0),
    3.0,
    2.0 - 1.0j,
    np.ones(3),
    np.full((2, 2), -np.inf),
    np.ones((3, 3), complex).T,
    np.ones(5, np.float32)[::2],
    np.full(FEW + 1, 1e200),
    np.array(4.0),
]
NONE = [np.arange(3), np.ones(2, bool), np.empty(0), np.int64(3), 7, None, "text"]
CONTAINERS = [
    lambda x: x,
    lambda x: (x,),
    lambda x: [1.0, x],
    lambda x: {"a": np.ones(2), ("b", 1): {"c": x}},
    lambda x: Pair(x, (np.inf, -np.inf, ())),
]


def as_values(x):
    if isinstance(x, tuple):
        parts = [as_values(part) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    if isinstance(x, list):
        return [as_values(part) for part in x]
    if isinstance(x, dict):
        return {key: as_values(part) for key, part in x.items()}
    return Value(x)


def with_nan(x):
    if not isinstance(x, np.ndarray):
        return type(x)(np.nan)
    found = x.copy()
    found[(-1,) * x.ndim] = np.nan
    return found


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("leaf", LEAVES, ids=str)
def test_one_nan(leaf, container):
    has_nan = nan_finder(as_values(container(leaf)))
    assert has_nan(container(leaf)) is False
    assert has_nan(container(with_nan(leaf))) is True


@pytest.mark.parametrize("leaf", NONE, ids=str)
def test_what_cannot_be_nan(leaf):
    assert nan_finder(as_values((leaf, 1.0)))((leaf, 1.0)) is False


def test_constants_of_a_result():
    assert nan_finder((np.array([np.nan]), Value(1.0)))((np.array([np.nan]), 1.0)) is True


def example_gradients(matrix, x, scale):
    """The gradients of many examples in a matrix, outer products of two small arrays each."""
    return vmap(grad(lambda m, x, s: np.sum((m @ x) * s)), (None, 0, 0))(matrix, x, scale)


@pytest.mark.filterwarnings("ignore:invalid value")  # in the function itself
@pytest.mark.parametrize("place", [(0, 0), (0, 19), (99, 0), (57, 3)], ids=str)
@pytest.mark.parametrize("scale", [0.0, 2.0])
@pytest.mark.parametrize("value", [np.nan, np.inf, 3.0])
def test_nan_among_the_operands_of_a_large_result(place, scale, value):
    matrix, x, scales = np.ones((20, 20)), np.ones((100, 20)), np.ones(100)
    program, _ = record(example_gradients, (matrix, x, scales))
    (parts,) = parts_with_nan(program).values()
    assert len(parts) == 2

    again = compiled(example_gradients)
    again.prepare(matrix, x, scales)
    x[place], scales[place[0]] = value, scale
    expected = example_gradients(matrix, x, scales)
    if not np.isnan(value):
        assert expected[place[0], 0, place[1]] == (0.0 if scale == 0 else scale * value)
    np.testing.assert_array_equal(again(matrix, x, scales), expected)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("second", [(40, 1), (9, 40, 40), ()], ids=str)
def test_results_of_which_parts_are_looked_at(strict, second):
    operands = Value(np.ones((9, 1, 40))), Value(np.ones(second))
    shape = np.broadcast_shapes((9, 1, 40), second)
    made = Value(np.ones(shape) if second else np.ones((9, 1, 40)))
    call = Call(np.multiply, operands, {}, made, strict=strict)
    found = parts_with_nan(Program(list(operands), [call], made))
    assert bool(found) is (strict and second == (40, 1))
