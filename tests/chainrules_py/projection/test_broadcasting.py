"""Summing a cotangent over broadcast axes is the adjoint of broadcasting, for every layout and
library of arrays.
"""

import numpy as np
import pytest

from chainrules_py.errors import ProjectionError
from chainrules_py.projection import unbroadcast

SHAPES = [
    # from the shape of a cotangent, to the shape of an argument
    ((3,), ()),
    ((1,), ()),
    ((), ()),
    ((2, 3), ()),
    ((2, 3), (3,)),
    ((2, 3), (1, 3)),
    ((2, 3), (2, 1)),
    ((2, 3), (1, 1)),
    ((2, 3), (1,)),
    ((1, 3), (3,)),
    ((1, 1, 3), (1, 3)),
    ((4, 2, 3), (2, 3)),
    ((4, 2, 3), (2, 1)),
    ((4, 2, 3), (4, 1, 3)),
    ((4, 2, 3), (4, 1, 1)),
    ((4, 2, 3), (1, 2, 1)),
    ((2, 1, 3), (2, 1, 1)),
    ((0, 3), (3,)),
    ((0,), ()),
    ((0,), (1,)),
    ((3, 0), (3, 1)),
    ((3, 0), (0,)),
    ((0, 3), (0, 1)),
    ((5000, 2), (2,)),
    ((2, 5000), (2, 1)),
    ((5000,), ()),
]
DTYPES = ["float16", "float32", "float64", "longdouble", "complex64", "complex128", "clongdouble"]


def integers(shape, dtype):
    """Small whole numbers: their sums are exact in every dtype and every order."""
    return np.random.default_rng(0).integers(-2, 3, shape).astype(dtype)


def adjoint_of_broadcasting(x_bar, shape):
    """The transposed matrix of broadcast_to, whose columns are broadcasts of unit vectors."""
    size = int(np.prod(shape))
    x_bar = x_bar.astype("clongdouble")
    units = np.eye(size).reshape((size, *shape))
    return np.array([(np.broadcast_to(unit, x_bar.shape) * x_bar).sum() for unit in units]).reshape(
        shape
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("wide", "shape"), SHAPES)
def test_is_the_adjoint_of_broadcasting(wide, shape, dtype):
    x_bar = integers(wide, dtype)
    x_bar.flags.writeable = False
    result = unbroadcast(x_bar, shape, np)
    assert result.shape == shape
    assert result.dtype == x_bar.dtype
    np.testing.assert_array_equal(result, adjoint_of_broadcasting(x_bar, shape))


LAYOUTS = {
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "strided": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "repeated": lambda x: np.broadcast_to(x[:1], x.shape),
    "byte-swapped": lambda x: x.astype(x.dtype.newbyteorder()),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(), (3,), (1, 3), (4, 1)])
def test_any_layout(layout, shape):
    x_bar = LAYOUTS[layout](integers((4, 3), "float64"))
    np.testing.assert_array_equal(
        unbroadcast(x_bar, shape, np), adjoint_of_broadcasting(x_bar, shape)
    )


def test_what_has_the_shape_is_returned_itself():
    x_bar = np.ones((2, 3))
    assert unbroadcast(x_bar, (2, 3), np) is x_bar


def test_infinities_stay_infinite():
    x_bar = np.array([[np.inf, 1.0], [1.0, -np.inf]])
    np.testing.assert_array_equal(unbroadcast(x_bar, (2,), np), [np.inf, -np.inf])
    summed = unbroadcast(x_bar + 0j, (2,), np)
    np.testing.assert_array_equal(summed, [complex(np.inf, 0), complex(-np.inf, 0)])


@pytest.mark.parametrize("shape", [(8192,), (8192, 2)])
def test_long_float32_sums_are_accurate(shape):
    x_bar = np.random.default_rng(1).random(shape).astype("float32")
    exact = x_bar.astype("longdouble").sum(axis=0)
    np.testing.assert_allclose(unbroadcast(x_bar, shape[1:], np), exact, rtol=5e-6)


@pytest.mark.parametrize(
    ("wide", "shape"),
    [((3,), (2,)), ((3,), (2, 3)), ((1,), (3,)), ((2, 3), (2,)), ((), (1,)), ((0,), (3,))],
)
def test_a_shape_that_does_not_broadcast_is_refused(wide, shape):
    x_bar = np.ones(wide)
    with pytest.raises(ProjectionError) as caught:
        unbroadcast(x_bar, shape, np)
    assert caught.value.space == shape
    assert caught.value.value is x_bar


def test_a_foreign_array_is_summed_once_by_its_namespace(recorded):
    x_bar = recorded(np.ones((4, 2, 3)))
    from chainrules_py.projection.dense import namespace_of

    result = unbroadcast(x_bar, (2, 1), namespace_of(x_bar))
    assert x_bar.log == ["sum", "reshape"]
    np.testing.assert_array_equal(result.value, np.full((2, 1), 12.0))
