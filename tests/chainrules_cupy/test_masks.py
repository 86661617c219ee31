"""Masks without a count of what they select: NumPy's numbers, and a host that does not wait."""

import operator

import numpy as np
import pytest

from chainrules_cupy.masks import place_of_mask
from chainrules_py import rrule, unthunk
from chainrules_py.rulesets.entries.replacing import replaced
from chainrules_py.rulesets.entries.scatter import scatter_add
from stand_ins.devices import STAND_IN
from stand_ins.masks import BESIDE, INDICES, LAST, ROWS, WHOLE, X
from stand_ins.stand_in import DeviceArray, ledger


@pytest.mark.parametrize("name", [*INDICES, *BESIDE])
def test_the_pullback_of_reading_does_not_wait(name):
    index = (INDICES | BESIDE)[name]
    y, pullback = rrule(operator.getitem, DeviceArray(X), STAND_IN.put(index))
    y_bar = np.random.default_rng(0).normal(size=y.shape)
    expected = np.zeros(X.shape)
    np.add.at(expected, index, y_bar)
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
    values = {
        "number": 0.5,
        "0-d": np.array(0.5),
        "broadcast": np.full((1,) * len(shape), 7.0),
        "one each": one_each,
    }[kind]
    expected[index] = values
    ledger.clear()
    y = replaced(
        DeviceArray(X),
        STAND_IN.put(index),
        DeviceArray(values) if hasattr(values, "shape") else values,
    )
    assert not ledger
    np.testing.assert_array_equal(y.host, expected)
    assert y.host is not X


@pytest.mark.parametrize(("shape", "waits"), [((8,), False), ((1,), True), ((), False)])
def test_values_written_one_by_one_are_read_off_the_cotangent(shape, waits):
    """Of values that are broadcast nobody knows how often, but where the mask is whole."""
    values = np.random.default_rng(0).normal(size=shape)
    y_bar = np.random.default_rng(1).normal(size=X.shape)
    expected = y_bar[WHOLE] if shape == (8,) else np.reshape(y_bar[WHOLE].sum(), shape)
    _, pullback = rrule(replaced, DeviceArray(X), DeviceArray(WHOLE), DeviceArray(values))
    ledger.clear()
    values_bar = pullback(DeviceArray(y_bar))[2]
    assert set(ledger) == ({("waits", "mask as index")} if waits else set())
    np.testing.assert_allclose(values_bar.host, expected, rtol=1e-12)


# Next to other indices


@pytest.mark.parametrize("name", [*INDICES, *BESIDE])
def test_reading_what_was_written_does_not_wait(name):
    index = (INDICES | BESIDE)[name]
    values = np.random.default_rng(0).normal(size=X[index].shape)
    _, pullback = rrule(
        scatter_add, DeviceArray(values), index=STAND_IN.put(index), shape=X.shape, dtype=X.dtype
    )
    ledger.clear()
    (values_bar,) = pullback(DeviceArray(X))
    assert not ledger
    np.testing.assert_array_equal(unthunk(values_bar).host, X[index])


@pytest.mark.parametrize(
    "name",
    [name for name in BESIDE if not any(np.ndim(p) and p.dtype == int for p in BESIDE[name])],
)
def test_a_number_written_next_to_other_indices_does_not_wait(name):
    index, expected = BESIDE[name], X.copy()
    expected[index] = 0.5
    ledger.clear()
    y = replaced(DeviceArray(X), STAND_IN.put(index), 0.5)
    assert not ledger or name == "two masks"  # whose positions have to fit each other
    np.testing.assert_array_equal(y.host, expected)


@pytest.mark.parametrize(
    "index",
    [(1, LAST), (ROWS, LAST), (None, ROWS), ROWS[:, 0].nonzero()[0], (slice(0, 1), ROWS[0])],
)
def test_other_indices_are_left_to_cupy(index):
    assert place_of_mask(STAND_IN.put(index), 3) is None


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
    _, pullback = rrule(operator.getitem, DeviceArray(X), index)
    ledger.clear()
    x_bar = unthunk(pullback(DeviceArray(y_bar))[0])
    assert ("waits", "mask as index") not in ledger
    np.testing.assert_array_equal(x_bar.host, expected)


@pytest.mark.parametrize("name", ["a list", "a list of lists", "beside a slice"])
def test_writing_at_known_masks_does_not_wait(name):
    index = KNOWN[name] if len(KNOWN[name]) > 1 else KNOWN[name][0]
    values, expected = np.random.default_rng(0).normal(size=X[index].shape), X.copy()
    expected[index] = values
    ledger.clear()
    found, pullback = rrule(replaced, DeviceArray(X), index, DeviceArray(values))
    assert ("waits", "mask as index") not in ledger
    np.testing.assert_array_equal(found.host, expected)
    x_bar, _, values_bar = map(unthunk, pullback(DeviceArray(X)))
    np.testing.assert_array_equal(values_bar.host, X[index])
    np.testing.assert_array_equal(x_bar.host, np.where(expected == X, X, 0))
