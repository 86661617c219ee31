"""Frozen copies hold the same numbers, in the same layout, and cannot be written to."""

import numpy as np
import pytest

from chainrules_py import ZERO, Tangent
from chainrules_py.testing.freezing import frozen

X = np.arange(24.0).reshape(2, 3, 4)
LAYOUTS = {
    "rows": X,
    "columns": np.asfortranarray(X),
    "gaps": X[:, ::2, 1::2],
    "backwards": X[::-1, :, ::-1],
    "broadcast": np.broadcast_to(X[0], (2, 3, 4)),
    "number": np.array(2.0),
    "empty": X[:, :0],
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_copy_has_the_layout_and_refuses_writes(name):
    array = LAYOUTS[name]
    copy = frozen(array)
    np.testing.assert_array_equal(copy, array)
    assert not np.shares_memory(copy, array)
    assert (copy.flags.c_contiguous, copy.flags.f_contiguous) == (
        array.flags.c_contiguous,
        array.flags.f_contiguous,
    )
    longer = [
        axis
        for axis in range(array.ndim)
        if array.size and array.shape[axis] > 1 and array.strides[axis]
    ]
    assert [np.sign(copy.strides[axis]) for axis in longer] == [
        np.sign(array.strides[axis]) for axis in longer
    ]
    with pytest.raises(ValueError, match="read-only"):
        copy[...] = 0.0


def test_what_is_frozen_already_is_not_copied():
    copy = frozen(X)
    assert frozen(copy) is copy


def test_arrays_inside_of_values_are_frozen():
    w, (b, text) = frozen({"w": X, "rest": (X, "text")}).values()
    bar = frozen(Tangent[tuple](X, ZERO))
    assert text == "text"
    assert bar[1] is ZERO
    for copy in (w, b, bar[0]):
        assert not copy.flags.writeable
