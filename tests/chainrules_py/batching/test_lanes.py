"""Which values of a call have lanes, and how these are taken apart and put together."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from chainrules_py.batching.lanes import (
    Same,
    all_in_lanes,
    changed_lanes,
    has_entries,
    lane_count,
    laned_values,
    one_lane,
    stand_in,
    with_lanes,
)
from chainrules_py.errors import BatchingError

X = np.arange(6.0).reshape(2, 3)


def test_one_lane_of_arguments_and_parts_of_them():
    args = (X, {"a": 2 * X, "b": "text"}, X)
    lanes = (True, (True, False), False)
    first, parts, constant = one_lane(lanes, args, 1)
    assert_array_equal(first, X[1])
    assert_array_equal(parts["a"], 2 * X[1])
    assert parts["b"] == "text"
    assert constant is X
    assert [x.sum() for x in laned_values(lanes, args)] == [X.sum(), 2 * X.sum()]


def test_what_has_no_lanes_stays_the_object_that_it_is():
    container = {"a": X}
    assert changed_lanes(False, container, lambda x: x[0]) is container


def test_the_number_of_lanes_is_that_of_all():
    assert lane_count("f", (True, (False, True)), (X, (1.0, X[:, 0]))) == 2


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


def test_what_is_the_same_is_repeated_in_containers_too():
    found = all_in_lanes(dict, {"a": Same(3), "b": X, "c": Same((1.0, "text", np.dtype(float)))}, 2)
    assert_array_equal(found["a"], [3, 3])
    assert found["b"] is X
    assert_array_equal(found["c"][0], [1.0, 1.0])
    assert found["c"][1:] == ("text", np.dtype(float))
    assert with_lanes(np.float64, 2) is np.float64


def test_arrays_and_numbers_have_entries():
    assert all(map(has_entries, (X, 1, 2.0, True, 1j, np.float32(1))))
    assert not any(map(has_entries, ("text", None, np.dtype(float), np.float64, [1.0])))


def test_the_same_is_shown():
    assert repr(Same(2)) == "Same(2)"
