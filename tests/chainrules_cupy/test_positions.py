"""Functions at positions: NumPy's numbers; nothing waits for positions that the host knows, and few
of them are not copied.
"""

import numpy as np
import pytest

from chainrules_cupy import positions
from stand_ins.waiting import staying

pytestmark = pytest.mark.gpu
cupy = pytest.importorskip("cupy")

X = np.arange(1.0, 25.0).reshape(4, 6)
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
    device = [cupy.asarray(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    with staying(copies=True):
        found = getattr(positions, name)(cupy, *device, axis)
    np.testing.assert_array_equal(found.get(), getattr(np, name)(*args, axis))


def test_a_few_runs_are_not_copied():
    x = cupy.asarray(X)
    with staying():
        positions.delete(cupy, x, [0, 2], 1)
        positions.compress(cupy, [True, True, False, True], x, 0)


def test_an_axis_out_of_range_is_refused():
    with pytest.raises(np.exceptions.AxisError):
        positions.delete(cupy, cupy.asarray(X), [0, 2], 5)


def test_extract():
    found = positions.extract(cupy, [[True, False], [False, True]], cupy.asarray(X[:2, :2]))
    np.testing.assert_array_equal(found.get(), [1.0, 8.0])


@pytest.mark.parametrize("number", [True, 2, 0.5, 1j, np.float32(0.25)])
@pytest.mark.parametrize("dtype", [None, "complex64"])
def test_numbers_are_not_copied(number, dtype):
    with staying():
        found = cupy.asarray(number, dtype)
    expected = np.asarray(number, dtype)
    assert (found.get(), found.dtype, found.shape) == (expected, expected.dtype, ())
