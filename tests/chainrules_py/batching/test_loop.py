"""The loop calls a function once per lane and puts the results into lanes, or refuses."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from chainrules_py.batching.lanes import Same
from chainrules_py.batching.loop import looped
from chainrules_py.errors import BatchingError

X = np.arange(6.0).reshape(2, 3)


class Pair(NamedTuple):
    first: object
    second: object


def test_containers_come_back_as_they_are():
    found = looped(lambda x: Pair(x.sum(), {"n": 1, "name": "text"}), (True,), (X,), {})
    assert type(found) is Pair
    assert_array_equal(found.first, X.sum(1))
    assert_array_equal(found.second["n"], [1, 1])
    assert type(found.second["name"]) is Same
    assert found.second["name"].value == "text"


def test_flags_that_are_the_same_for_all_can_decide():
    found = looped(lambda x: (x, True, bool(x[0])), (True,), (X,), {})
    assert (type(found[1]), found[1].value) == (Same, True)
    assert_array_equal(found[2], [False, True])


def test_no_lanes_have_the_shape_of_a_result_of_ones():
    seen = []

    def f(x):
        seen.append(x)
        return Pair(np.log(x), int(x.sum()))

    found = looped(f, (True,), (X[:0],), {})
    assert_array_equal(seen, [np.ones(3)])
    assert found.first.shape == (0, 3)
    assert (found.second.shape, found.second.dtype) == ((0,), np.dtype(int))


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda x: x[: int(x[0]) + 1], ["(1,)", "(3,)"]),
        (lambda x: object(), ["object"]),
        (lambda x: b"ab"[: int(x[0])], ["bytes"]),
        (lambda x: [x] * (1 + int(x[0])), ["different parts"]),
        (lambda x: (x,) if x[0] else [x], ["different parts"]),
    ],
)
def test_results_that_cannot_be_put_together_are_refused(f, words):
    with pytest.raises(BatchingError) as caught:
        looped(f, (True,), (X,), {})
    assert all(word in str(caught.value) for word in words), caught.value


def test_messages_that_differ_are_joined():
    found = looped(lambda x: ("fine", f"in {int(x.sum())} steps"), (True,), (X,), {})
    assert found[0].value == "fine"
    steps = dict.fromkeys(int(x.sum()) for x in X)
    assert len(steps) > 1
    assert found[1].value == "; ".join(f"in {count} steps" for count in steps)
