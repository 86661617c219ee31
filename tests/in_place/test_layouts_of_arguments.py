"""What an argument shares memory with, after functions that copy some arrays and view others, is
what it shares in NumPy: the copy that is differentiated has gaps where the argument has them.
"""

import numpy as np
import pytest

from chainrules_tape import jacobian, jvp, taylor, value_and_grad

BLOCK = np.arange(48.0).reshape(8, 6) / 10
LAYOUTS = {
    "in order": lambda block: block[:4, :],
    "rows": lambda block: block[::2],
    "columns": lambda block: block[:4, ::3],
    "rows backwards": lambda block: block[::-2, :2],
    "turned": lambda block: block[:4, :2].T,
    "in the other order": lambda block: np.asfortranarray(block[:3]),
    "real parts": lambda block: (block[:4] + 1j).real,
}


def raveled(x):
    x.ravel()[0] = 5.0
    return np.sum(x**2)


def raveled_first(x):
    r = x.ravel()
    x[0, 0] = x[1, 1] * 3
    return np.sum(x**2) + r[0] ** 3


def raveled_part(x):
    x[1:].ravel()[0] = 5.0
    return np.sum(x**2)


def raveled_after_a_write(x):
    x[0, 0] = x[1, 1] * 3
    x.ravel()[1] = 7.0
    return np.sum(x**2)


def reshaped(x):
    x.reshape(-1)[1] = 5.0
    return np.sum(x**2)


def turned_and_raveled(x):
    x.T.ravel()[1] = 5.0
    return np.sum(x**2)


FUNCTIONS = (
    *(raveled, raveled_first, raveled_part),
    *(raveled_after_a_write, reshaped, turned_and_raveled),
)


def alike(layout):
    """A new array of this layout."""
    return LAYOUTS[layout](BLOCK.copy())


def differences(f, layout):
    found = np.zeros(alike(layout).shape)
    for index in np.ndindex(found.shape):
        above, below = alike(layout), alike(layout)
        above[index] += 1e-6
        below[index] -= 1e-6
        found[index] = (f(above) - f(below)) / 2e-6
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", FUNCTIONS)
def test_writes_into_what_numpy_copies_or_views(f, layout):
    wanted, ones = differences(f, layout), np.ones(alike(layout).shape)
    for mode in ("forward", "reverse"):
        found = jacobian(f, mode=mode)(alike(layout))
        np.testing.assert_allclose(found, wanted, atol=1e-6, err_msg=mode)
    value, slope = value_and_grad(f)(alike(layout))
    assert value == f(alike(layout))
    np.testing.assert_allclose(slope, wanted, atol=1e-6)
    for found, along in (
        jvp(f, (alike(layout),), (ones,)),
        taylor(f, alike(layout), 1),
    ):
        np.testing.assert_allclose([found, along], [value, np.sum(wanted)], rtol=1e-6)


def in_a_loop(x):
    early = x[-2]
    for index in np.ndindex(x.shape):
        x[index] = np.sin(x[index])
    return x * early


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_an_argument_that_repeats_one_entry_may_be_written_to(mode):
    """The derivative is that at an array with the same entries."""
    repeated = np.broadcast_to(np.array([0.5]), (4,))
    windows = np.lib.stride_tricks.sliding_window_view(np.arange(5.0) / 5, 3)
    for x in (repeated, windows):
        found = jacobian(in_a_loop, mode=mode)(x)
        np.testing.assert_allclose(found, jacobian(in_a_loop, mode=mode)(x.copy()))
        wanted = jvp(in_a_loop, (x.copy(),), (np.ones(x.shape),))[1]
        np.testing.assert_allclose(jvp(in_a_loop, (x,), (np.ones(x.shape),))[1], wanted)
