"""Functions that CuPy computes of arrays alone, of numbers: NumPy's numbers, on the device, and
nothing copied.
"""

import numpy as np
import pytest

from stand_ins.stand_in import DeviceArray, bare, ledger, namespace

X = np.array([1.0, -2.0, 3.0])
CALLS = {
    "where": [(True, 1.0, X), (False, X, 2), (np.True_, X, X), (X > 0, X, 0)],
    "reshape": [(2.5, (1, 1)), (np.float32(2.5), -1), (X, (3, 1))],
    "broadcast_to": [(2.5, (2, 3)), (X, (2, 3))],
    "expand_dims": [(2.5, 0), (X, 1)],
    "stack": [([X[0].item(), 2.0],), ([X, X],)],
    "ones_like": [(X, float, "K", True, ()), (X,)],
    "power": [
        (X, 2),
        (X, 2.0),
        (X, 3),
        (2.0, X),
        (X + 1j, 2),
        (np.arange(3), 2),
        (np.arange(3), 2.0),
    ],
}


def device(x):
    if isinstance(x, list):
        return list(map(device, x))
    return DeviceArray(x) if isinstance(x, np.ndarray) else x


@pytest.mark.parametrize(
    ("name", "args"), [(name, args) for name, calls in CALLS.items() for args in calls]
)
def test_numpys_numbers(name, args):
    ledger.clear()
    found = getattr(namespace, name)(*map(device, args))
    assert not ledger
    wanted = getattr(np, name)(*args)
    assert isinstance(found, DeviceArray)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_array_equal(found.host, wanted)


@pytest.mark.parametrize("name", ["empty_like", "zeros_like", "ones_like"])
def test_no_axes_are_a_shape(name):
    x = DeviceArray(X)
    assert getattr(bare, name)(x, shape=()).shape == (3,)  # what CuPy makes of it
    assert getattr(namespace, name)(x, shape=()).shape == ()
    assert getattr(namespace, name)(x, shape=(2, 1), dtype=bool).shape == (2, 1)
    assert namespace.full_like(x, 2.5, shape=()).host == 2.5


def test_of_numbers_alone_one_is_chosen_and_stays_weak():
    assert namespace.where(True, 1, 2.5) == 1
    assert namespace.where(np.False_, 1, 2.5) == 2.5
