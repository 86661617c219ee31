"""Which values of a call have lanes, and how these are taken apart and put together."""

import numpy as np
import pytest

from chainrules_py.batching.lanes import (
    Same,
    has_entries,
    lane_count,
    stand_in,
)
from chainrules_py.errors import BatchingError

X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("lanes", "args", "words"),
    [
        ((True, True), (X, X.T), ["(2, 3)", "(3, 2)"]),
        ((False,), (X,), ["none"]),
        ((True,), (X, X), ["2 arguments"]),
        ((True,), (1.0,), ["()"]),
    ],
)
def test_lanes_that_do_not_fit_are_refused(lanes, args, words):
    with pytest.raises(BatchingError) as caught:
        lane_count("f", lanes, args)
    assert all(word in str(caught.value) for word in words), caught.value


def test_a_stand_in_has_shape_and_dtype_and_no_memory():
    x = np.zeros((5, 1000, 1000), np.float32)
    found = stand_in(x)
    assert (found.shape, found.dtype, found.strides) == ((1000, 1000), x.dtype, (0, 0))
    assert type(stand_in(X[0])) is np.float64


def test_arrays_and_numbers_have_entries():
    assert all(map(has_entries, (X, 1, 2.0, True, 1j, np.float32(1))))
    assert not any(map(has_entries, ("text", None, np.dtype(float), np.float64, [1.0])))


def test_the_same_is_shown():
    assert repr(Same(2)) == "Same(2)"
