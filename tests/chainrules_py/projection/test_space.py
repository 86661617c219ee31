"""A space leaves zeros and missing derivatives alone, keeps thunks postponed, admits seeds, and
knows what fits.
"""

import numpy as np
import pytest

from chainrules_py import rrule
from chainrules_py.projection import ProjectTo
from chainrules_py.projection.dense import dense_space
from chainrules_py.projection.project_to import admitting_space
from chainrules_py.tangents import (
    ZERO,
    InplaceableThunk,
    Tangent,
    Thunk,
    unthunk,
)
from chainrules_tape import grad


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


def scatter(dtype):
    """The thunk of x[1] with cotangent 2, for x of length 3, with buffers of this dtype."""

    def value():
        buffer = np.zeros(3, dtype)
        add_into(buffer)
        return buffer

    def add_into(buffer):
        buffer[1] += 2.0

    return InplaceableThunk(add_into, value, lambda: np.zeros(3, dtype))


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


def test_a_thunk_that_knows_its_space_stays_itself():
    class Known(InplaceableThunk):
        def is_in(self, shape, dtype):
            return shape == (2,)

    thunk = Known(None, lambda: np.ones(2))
    assert ProjectTo(np.ones(2))(thunk) is thunk
    assert ProjectTo(np.ones(3))(thunk) is not thunk


SHAPES = [
    (np.ones((2, 3), "float32"), (2, 3), np.dtype("float32")),
    (np.arange(3), (3,), np.dtype(int)),
    (np.array([None]), (1,), np.dtype(object)),
    (np.float32(1.0), (), np.dtype("float32")),
    (np.int8(1), (), np.dtype("int8")),
    (1.0, (), float),
    (True, (), int),
    (1j, (), complex),
    ("text", None, None),
    ((1.0, 2), None, None),
]


@pytest.mark.parametrize(("x", "shape", "dtype"), SHAPES, ids=repr)
def test_a_space_has_the_shape_and_the_dtype_of_its_value(x, shape, dtype):
    space = ProjectTo(x)
    assert (space.primal_type, space.shape, space.dtype) == (
        int if x is True else type(x),
        shape,
        dtype,
    )
    assert shape is None or (space.ndim, space.size) == (np.ndim(x), np.size(x))


def test_a_dense_space_follows_from_its_parts():
    x = np.ones((2, 3), "complex64")
    assert ProjectTo(x) is dense_space(np.ndarray, x.shape, x.dtype)


FITTING = [
    (np.ones(3), np.zeros(3), np.zeros((3, 1))),
    (1.0, np.float32(2.0), np.zeros(1)),
    ((1.0, np.ones(2)), Tangent[tuple](ZERO, np.ones(2)), (np.ones(2), 1.0)),
    ({"a": 1.0}, {}, {"b": 1.0}),
    ([(1.0, 2.0)], [(3.0, 4.0)], [3.0]),
]


@pytest.mark.parametrize(("x", "good", "bad"), FITTING, ids=repr)
def test_what_fits_has_the_shape_or_the_parts(x, good, bad):
    space = admitting_space(x)
    assert space.fits(good)
    assert space.fits(ZERO)
    assert space.fits(Thunk(lambda: bad))
    assert not space.fits(bad)


def test_cotangents_of_another_byte_order_are_in_this_machines():
    x = np.arange(3.0).astype(">f8")
    for x_bar in (rrule(np.sin, x)[1](np.ones(3))[0], grad(lambda x: np.sum(np.sin(x[:])))(x)):
        assert x_bar.dtype.isnative
        np.testing.assert_array_equal(x_bar, np.cos(np.arange(3.0)))
    assert grad(lambda x: x[1])(x).dtype.isnative
