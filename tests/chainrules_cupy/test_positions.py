"""Functions at positions: NumPy's numbers; nothing waits for positions that the host knows, and few
of them are not copied.
"""

import numpy as np
import pytest

from chainrules_cupy import positions
from stand_ins.stand_in import DeviceArray, bare, ledger

X = np.arange(1.0, 25.0).reshape(4, 6)
COPIED = ("copies to the device", "asarray")
CALLS = [
    *(
        ("delete", (X, obj), axis)
        for obj in (2, -1, slice(0, 3, 2), [0, 1], [0, 2, 3], [])
        for axis in (None, 0, 1)
    ),
    *(
        ("compress", (condition, X), axis)
        for condition in ([True, False, True], [0, 0, 1, 1])
        for axis in (None, 0, 1)
    ),
    *(("repeat", (X, counts), 0) for counts in (2, [3], (1, 0, 2, 1))),
]


@pytest.mark.parametrize(("name", "args", "axis"), CALLS, ids=str)
def test_positions_that_the_host_knows(name, args, axis):
    host = [arg.host if isinstance(arg, DeviceArray) else arg for arg in args]
    ledger.clear()
    device = [DeviceArray(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    found = getattr(positions, name)(bare, *device, axis)
    assert set(ledger) <= {COPIED}
    np.testing.assert_array_equal(found.host, getattr(np, name)(*host, axis))


def test_a_few_runs_are_not_copied():
    ledger.clear()
    positions.delete(bare, DeviceArray(X), [0, 2], 1)
    positions.compress(bare, [True, True, False, True], DeviceArray(X), 0)
    assert not ledger


def test_an_axis_out_of_range_is_refused():
    with pytest.raises(np.exceptions.AxisError):
        positions.delete(bare, DeviceArray(X), [0, 2], 5)


def test_extract():
    found = positions.extract(bare, [[True, False], [False, True]], DeviceArray(X[:2, :2]))
    np.testing.assert_array_equal(found.host, [1.0, 8.0])


@pytest.mark.parametrize("number", [True, 2, 0.5, 1j, np.float32(0.25)])
@pytest.mark.parametrize("dtype", [None, "complex64"])
def test_numbers_are_not_copied(number, dtype):
    ledger.clear()
    found = positions.asarray(bare, number, dtype)
    assert not ledger
    expected = np.asarray(number, dtype)
    assert (found.host, found.dtype, found.shape) == (expected, expected.dtype, ())
