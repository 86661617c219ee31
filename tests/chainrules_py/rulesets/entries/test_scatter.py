"""Cotangents that are written into buffers later: their space, and derivatives that nobody wrote."""

import numpy as np
import pytest

from chainrules_py.errors import NotImplementedTangentError
from chainrules_py.rulesets.entries.scatter import scatter_add, scattered
from chainrules_py.tangents import NO_TANGENT, not_implemented, unthunk

INTEGERS = np.array([3, 0, 3, -1])


def test_a_scatter_is_postponed_and_knows_its_space():
    values = np.array([1.0, 2.0])
    thunk = scattered(values, INTEGERS[:2], (4,), np.dtype(float))
    assert thunk.is_in((4,), np.dtype(float))
    assert not thunk.is_in((4, 1), np.dtype(float))
    buffer = thunk.zeros()
    thunk.add_into(buffer)
    np.testing.assert_array_equal(buffer, unthunk(thunk))
    thunk.add_into(buffer)  # forced by now
    np.testing.assert_array_equal(buffer, [4.0, 0.0, 0.0, 2.0])
    np.testing.assert_array_equal(thunk.zeros(), np.zeros(4))
    assert thunk.name == "scatter_add"


@pytest.mark.parametrize("index", [0, slice(0, 1), [0]])
def test_a_derivative_that_nobody_wrote_is_refused_with_its_reason(index):
    thunk = scattered(not_implemented("by the order"), index, (2,), np.dtype(float))
    with pytest.raises(NotImplementedTangentError, match="by the order"):
        unthunk(thunk)
    with pytest.raises(NotImplementedTangentError, match="by the order"):
        thunk.add_into(np.zeros(2))
    with pytest.raises(NotImplementedTangentError, match="by the order"):  # in forward mode
        scatter_add(not_implemented("by the order"), index, (2,), np.dtype(float))


def test_integers_receive_no_scatter():
    assert scattered(np.ones(1), 0, (2,), np.dtype(int)) is NO_TANGENT
