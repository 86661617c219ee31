"""Masks without a count of what they select: NumPy's numbers, and a host that does not wait
or copy.
"""

import operator

import numpy as np
import pytest

from chainrules_py import rrule, unthunk
from chainrules_py.rulesets.entries.replacing import replaced
from chainrules_py.rulesets.entries.scatter import scatter_add
from stand_ins.devices import GPU
from stand_ins.waiting import staying

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")

# Indices with masks, alone and next to other indices
X = np.arange(1.0, 25.0).reshape(2, 3, 4)
WHOLE, ROWS, LAST = (
    X % 3 == 0,
    np.array([[True, False, True], [False, False, True]]),
    np.array([True, False, False, True]),
)
NONE = np.zeros(4, bool)
INDICES = {
    "whole": WHOLE,
    "leading": ROWS,
    "leading, and the rest": (ROWS, slice(None)),
    "last": (slice(None), slice(None), LAST),
    "behind an ellipsis": (..., LAST),
    "before an ellipsis": (ROWS[:, 0], ...),
    "middle": (slice(None), np.array([True, False, True])),
    "nothing": (..., NONE),
    "a tuple": (WHOLE,),
}

# Next to other indices

PAIRS = np.array([1, 0])
BESIDE = {
    "an integer before": (1, slice(None), LAST),
    "an integer after": (ROWS[:, 0], 2),
    "adjacent to an integer": (slice(None), 2, LAST),
    "two integers": (1, 2, LAST),
    "a negative integer": (slice(None), ROWS[0], -1),
    "over two axes": (ROWS, 3),
    "a part of an axis": (slice(0, 1), ROWS[0]),
    "every second": (..., slice(None, None, 2), LAST),
    "a new axis": (None, ROWS[:, 0], 0),
    "an integer, then an ellipsis": (0, ..., LAST),
    "positions": (PAIRS, slice(None), LAST),
    "positions, adjacent": (slice(None), PAIRS, LAST),
    "positions in a matrix": (PAIRS[:, None], ROWS[0]),
    "two masks": (slice(None), ROWS[0], LAST),
    "a mask that holds once": (PAIRS, np.array([False, True, False])),
    "a mask that never holds": (slice(None), 1, NONE),
    "positions that repeat": (np.array([1, 1]), 0, LAST),
    "positions that repeat, and once": (np.array([1, 1]), np.array([False, True, False])),
}


@pytest.mark.parametrize("name", [*INDICES, *BESIDE])
def test_the_pullback_of_reading_does_not_wait(name):
    index = (INDICES | BESIDE)[name]
    y, pullback = rrule(operator.getitem, cupy.asarray(X), GPU.put(index))
    y_bar = np.random.default_rng(0).normal(size=y.shape)
    expected = np.zeros(X.shape)
    np.add.at(expected, index, y_bar)
    y_bar = cupy.asarray(y_bar)
    with staying():
        x_bar = unthunk(pullback(y_bar)[0])
    np.testing.assert_allclose(x_bar.get(), expected, rtol=1e-12)


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("kind", ["number", "0-d", "broadcast", "one each"])
def test_writing_does_not_wait(name, kind):
    index = INDICES[name]
    expected, shape = X.copy(), X[index].shape
    one_each = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    values = {
        "number": 0.5,
        "0-d": np.array(0.5),
        "broadcast": np.full((1,) * len(shape), 7.0),
        "one each": one_each,
    }[kind]
    expected[index] = values
    arguments = GPU.put((X, index, values))
    with staying():
        y = replaced(*arguments)
    np.testing.assert_array_equal(y.get(), expected)


@pytest.mark.parametrize(("shape", "waits"), [((8,), False), ((1,), True), ((), False)])
def test_values_written_one_by_one_are_read_off_the_cotangent(shape, waits):
    """Of values that are broadcast nobody knows how often, but where the mask is whole."""
    values = np.random.default_rng(0).normal(size=shape)
    y_bar = np.random.default_rng(1).normal(size=X.shape)
    expected = y_bar[WHOLE] if shape == (8,) else np.reshape(y_bar[WHOLE].sum(), shape)
    _, pullback = rrule(replaced, cupy.asarray(X), cupy.asarray(WHOLE), cupy.asarray(values))
    y_bar = cupy.asarray(y_bar)
    with staying(waits=waits):
        values_bar = pullback(y_bar)[2]
    np.testing.assert_allclose(values_bar.get(), expected, rtol=1e-12)


# Next to other indices


@pytest.mark.parametrize("name", [*INDICES, *BESIDE])
def test_reading_what_was_written_does_not_wait(name):
    index = (INDICES | BESIDE)[name]
    values = np.random.default_rng(0).normal(size=X[index].shape)
    _, pullback = rrule(
        scatter_add, cupy.asarray(values), index=GPU.put(index), shape=X.shape, dtype=X.dtype
    )
    x = cupy.asarray(X)
    with staying():
        (values_bar,) = pullback(x)
    np.testing.assert_array_equal(unthunk(values_bar).get(), X[index])


@pytest.mark.parametrize(
    "name",
    [name for name in BESIDE if not any(np.ndim(p) and p.dtype == int for p in BESIDE[name])],
)
def test_a_number_written_next_to_other_indices_does_not_wait(name):
    index, expected = BESIDE[name], X.copy()
    expected[index] = 0.5
    arguments = GPU.put((X, index, 0.5))
    with staying(waits=name == "two masks"):  # whose positions have to fit each other
        y = replaced(*arguments)
    np.testing.assert_array_equal(y.get(), expected)


# Masks that the host knows: lists, arrays of NumPy's, booleans

KNOWN = {
    "a list": ([True, False],),
    "a list of lists": (ROWS.tolist(),),
    "beside a slice": (slice(None), [True, False, True], slice(None)),
    "beside an integer": (1, [True, False, True]),
    "true": (True,),
    "false": (False,),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_masks_are_not_counted_on_the_device(name):
    index = KNOWN[name] if len(KNOWN[name]) > 1 else KNOWN[name][0]
    y_bar = np.random.default_rng(0).normal(size=X[index].shape)
    expected = np.zeros(X.shape)
    expected[index] = y_bar
    _, pullback = rrule(operator.getitem, cupy.asarray(X), index)
    y_bar = cupy.asarray(y_bar)
    with staying(copies=True):
        x_bar = unthunk(pullback(y_bar)[0])
    np.testing.assert_array_equal(x_bar.get(), expected)


@pytest.mark.parametrize("name", ["a list", "a list of lists", "beside a slice"])
def test_writing_at_known_masks_does_not_wait(name):
    index = KNOWN[name] if len(KNOWN[name]) > 1 else KNOWN[name][0]
    values, expected = np.random.default_rng(0).normal(size=X[index].shape), X.copy()
    expected[index] = values
    x, new = cupy.asarray(X), cupy.asarray(values)
    with staying(copies=True):
        found, pullback = rrule(replaced, x, index, new)
    np.testing.assert_array_equal(found.get(), expected)
    x_bar, _, values_bar = map(unthunk, pullback(cupy.asarray(X)))
    np.testing.assert_array_equal(values_bar.get(), X[index])
    np.testing.assert_array_equal(x_bar.get(), np.where(expected == X, X, 0))
