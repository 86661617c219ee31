"""Projecting leaves zeros and missing derivatives alone, keeps thunks postponed, and scatters into fresh buffers."""

import numpy as np
import pytest

from chainrules_py.projection import ProjectTo
from chainrules_py.tangents import NO_TANGENT, ZERO, InplaceableThunk, Thunk, not_implemented, unthunk

VALUES = [1.0, 1j, np.float32(1.0), np.ones(3), np.ones(3, "complex64"), (1.0, 2), {"a": np.ones(3)}]


@pytest.mark.parametrize("x", VALUES, ids=repr)
@pytest.mark.parametrize("t", [ZERO, NO_TANGENT, not_implemented("nobody")], ids=repr)
def test_special_tangents_pass(x, t):
    assert ProjectTo(x)(t) is t


def test_thunks_stay_lazy_and_named():
    calls = []

    def sin_pullback():
        calls.append("computed")
        return np.ones((3, 1)) + 1j

    result = ProjectTo(np.ones(3))(Thunk(sin_pullback))
    assert (type(result), result.name, calls) == (Thunk, "sin_pullback", [])
    value = unthunk(result)
    assert (value.shape, value.dtype) == ((3,), np.dtype(float))
    assert unthunk(result) is value
    assert calls == ["computed"]


def test_a_thunk_for_a_value_without_tangents_is_never_forced():
    assert ProjectTo(3)(Thunk(lambda: pytest.fail("forced"))) is NO_TANGENT


def scatter(dtype):
    """The thunk of x[1] with cotangent 2, for x of length 3, with buffers of this dtype."""

    def value():
        buffer = np.zeros(3, dtype)
        add_into(buffer)
        return buffer

    def add_into(buffer):
        buffer[1] += 2.0

    return InplaceableThunk(value, add_into, lambda: np.zeros(3, dtype))


@pytest.mark.parametrize("given", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_inplaceable_thunks_stay_inplaceable(dtype, given):
    project = ProjectTo(np.ones(3, dtype))
    t = project(scatter(given))
    buffer = t.zeros()
    t.add_into(buffer)
    for result in (buffer, unthunk(project(scatter(given)))):
        assert result.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(result, [0, 2, 0])
    assert buffer.flags.writeable


def test_buffers_are_fresh():
    t = ProjectTo(np.ones(3))(scatter("float64"))
    assert not np.shares_memory(t.zeros(), t.zeros())
