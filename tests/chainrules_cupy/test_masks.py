"""Masks without a count of what they select: NumPy's numbers, and a host that does not wait."""

import operator

import numpy as np
import pytest
from stand_in import DeviceArray, ledger

from chainrules_cupy.masks import place_of_mask
from chainrules_py import rrule, unthunk
from chainrules_py.rulesets.replacing import replaced

X = np.arange(1.0, 25.0).reshape(2, 3, 4)
WHOLE, ROWS, LAST = X % 3 == 0, np.array([[True, False, True], [False, False, True]]), np.array([True, False, False, True])
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


def on_device(index):
    return (
        tuple(map(on_device, index)) if isinstance(index, tuple) else DeviceArray(index) if hasattr(index, "dtype") else index
    )


@pytest.mark.parametrize("name", INDICES)
def test_the_pullback_of_reading_does_not_wait(name):
    index = INDICES[name]
    y, pullback = rrule(operator.getitem, DeviceArray(X), on_device(index))
    y_bar = np.random.default_rng(0).normal(size=y.shape)
    expected = np.zeros(X.shape)
    expected[index] = y_bar
    ledger.clear()
    x_bar = unthunk(pullback(DeviceArray(y_bar))[0])
    assert not ledger
    np.testing.assert_array_equal(x_bar.host, expected)


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("kind", ["number", "0-d", "broadcast", "one each"])
def test_writing_does_not_wait(name, kind):
    index = INDICES[name]
    expected, shape = X.copy(), X[index].shape
    one_each = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    values = {"number": 0.5, "0-d": np.array(0.5), "broadcast": np.full((1,) * len(shape), 7.0), "one each": one_each}[kind]
    expected[index] = values
    ledger.clear()
    y = replaced(DeviceArray(X), on_device(index), DeviceArray(values) if hasattr(values, "shape") else values)
    assert not ledger
    np.testing.assert_array_equal(y.host, expected)
    assert y.host is not X


def test_a_number_written_where_a_mask_holds_is_differentiated_without_waiting():
    ledger.clear()
    _, pullback = rrule(replaced, DeviceArray(X), DeviceArray(WHOLE), 0.5)
    x_bar, _, value_bar = pullback(DeviceArray(X))
    assert not ledger
    np.testing.assert_array_equal(x_bar.host, np.where(WHOLE, 0, X))
    assert float(value_bar.host if isinstance(value_bar, DeviceArray) else value_bar) == X[WHOLE].sum()


def test_values_written_one_by_one_are_read_off_the_cotangent_which_waits():
    _, pullback = rrule(replaced, DeviceArray(X), DeviceArray(WHOLE), DeviceArray(X[WHOLE]))
    ledger.clear()
    values_bar = pullback(DeviceArray(X))[2]
    assert set(ledger) == {("waits", "mask as index")}
    np.testing.assert_array_equal(values_bar.host, X[WHOLE])


@pytest.mark.parametrize("index", [(1, LAST), (ROWS, LAST), (None, ROWS), ROWS[:, 0].nonzero()[0], (slice(0, 1), ROWS[0])])
def test_other_indices_are_left_to_cupy(index):
    assert place_of_mask(on_device(index), 3) is None
