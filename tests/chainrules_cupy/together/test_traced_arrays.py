"""Traced arrays over a device's arrays, as an array library for rules."""

import cupy
import numpy as np
import pytest

from chainrules_cupy import cupy_library as library
from chainrules_py.values.arrays import library_of, library_of_types
from chainrules_tape import grad, jvp
from chainrules_tape.arrays.handles import DualArray, TapeArray
from chainrules_tape.core import tape

X = np.array([1.0, 2.0, 3.0])
namespace = library_of(TapeArray).namespace


@pytest.mark.parametrize("others", [(cupy.ndarray,), (cupy.ndarray, np.ndarray)])
def test_numpys_traced_arrays_beside_those_of_a_device_are_computed_there(others):
    for cls in (TapeArray, DualArray):
        for types in ((cls, *others), (*others, cls)):
            assert library_of_types(types).name == f"tape over {library.name}"
    assert library_of_types((TapeArray, np.ndarray, float)).name == "tape"


# Arrays that a rule fills


def set_and_augmented(xp, x):
    buffer = xp.zeros((2, 3))
    buffer[0] = x
    buffer[1, 1:] = x[1:] * 2
    buffer[0] = buffer[0] + x * x
    buffer *= 2.0
    return buffer


def added_at(xp, x):
    buffer = xp.zeros(3)
    xp.add.at(buffer, xp.arange(3), x * x)
    return buffer + xp.ones(3) * x


def never_written(xp, x):
    return xp.concatenate([xp.full(2, 3.0), x * x]) * xp.ones(5)


@pytest.mark.gpu
@pytest.mark.parametrize("fill", [set_and_augmented, added_at, never_written])
def test_arrays_of_a_device_are_filled_as_numpys_are(fill):
    def loss(xp, weights):
        return lambda x: np.sum(np.sin(fill(xp, x)) ** 2) * weights

    on_device = library_of(tape.HANDLE_OF.over(library.name)).namespace
    x = cupy.asarray(X)
    wanted, found = grad(loss(namespace, 2.0)), grad(loss(on_device, 2.0))
    np.testing.assert_allclose(found(x).get(), wanted(X), rtol=1e-12)
    pushed = jvp(loss(on_device, 2.0), (x,), (x,))[1]
    np.testing.assert_allclose(pushed.get(), jvp(loss(namespace, 2.0), (X,), (X,))[1], rtol=1e-12)


@pytest.mark.gpu
def test_what_is_read_before_a_write_is_what_was_there():
    on_device = library_of(tape.HANDLE_OF.over(library.name)).namespace
    buffer = on_device.zeros(3)
    before = buffer + 1.0
    buffer[1] = 5.0
    np.testing.assert_array_equal(before.get(), [1.0, 1.0, 1.0])
    np.testing.assert_array_equal((buffer * 2.0).get(), [0.0, 10.0, 0.0])
