"""Cotangents of dense arrays receive the shape, dtype and class that belong to the value, or are
refused.
"""

import gc
import warnings
import weakref

import numpy as np
import pytest

from chainrules_py.errors import ProjectionError
from chainrules_py.projection import ProjectTo, fit
from chainrules_py.tangents import NO_TANGENT, ZERO, Tangent

REAL = ["float16", "float32", "float64", "longdouble"]
COMPLEX = ["complex64", "complex128", "clongdouble"]
WITHOUT = ["bool", "int8", "int64", "uint32", "U3", "S3", "M8[s]", "m8[s]", "V4"]
SHAPES = [(), (3,), (2, 3), (0,), (2, 0), (1,)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", REAL + COMPLEX)
def test_what_is_in_the_space_is_returned_itself(dtype, shape):
    t = np.ones(shape, dtype)
    assert ProjectTo(np.zeros(shape, dtype))(t) is t


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("of", REAL + COMPLEX)
@pytest.mark.parametrize("to", REAL + COMPLEX)
def test_every_dtype_to_every_dtype(to, of, shape):
    t = np.full(shape, 2.5, of) - (1j if of in COMPLEX else 0)
    t = np.asarray(t, of)
    with warnings.catch_warnings(action="error"):
        result = ProjectTo(np.zeros(shape, to))(t)
    assert (result.dtype, result.shape) == (np.dtype(to), shape)
    np.testing.assert_array_equal(result, 2.5 - 1j if of in COMPLEX and to in COMPLEX else 2.5)


@pytest.mark.parametrize("dtype", WITHOUT)
def test_no_tangent_space(dtype):
    project = ProjectTo(np.zeros(3, dtype))
    assert all(project(t) is NO_TANGENT for t in (np.ones(3), ZERO, NO_TANGENT, 2.0, "nonsense"))


@pytest.mark.parametrize("of", ["int64", "bool"])
def test_whole_numbers_become_floats(of):
    assert ProjectTo(np.zeros(2, "float32"))(np.ones(2, of)).dtype == np.dtype("float32")


@pytest.mark.parametrize(
    ("shape", "given"),
    [((3,), (3, 1)), ((3, 1), (1, 3)), ((1, 1), ()), ((), (1,)), ((2, 1, 3), (2, 3))],
)
def test_axes_of_length_one_come_and_go(shape, given):
    t = np.arange(float(np.prod(given))).reshape(given)
    result = ProjectTo(np.zeros(shape))(t)
    assert result.shape == shape
    np.testing.assert_array_equal(result.ravel(), t.ravel())


@pytest.mark.parametrize(
    ("shape", "t"),
    [
        ((3,), np.ones((2, 3))),
        ((2, 3), np.ones(3)),
        ((2, 3), np.ones((3, 2))),
        ((3,), np.float64(1.0)),
        ((3,), 1.0),
        ((), np.ones(2)),
        ((1,), np.ones(0)),
        ((3,), np.array([1.0, None, 2.0], dtype=object)),
        ((3,), np.array(["a", "b", "c"])),
        ((3,), [1.0, 2.0, 3.0]),
        ((3,), None),
        ((3,), "abc"),
        ((3,), Tangent[tuple](1.0, 2.0, 3.0)),
    ],
)
def test_what_is_no_cotangent_of_the_array_is_refused(shape, t):
    x = np.zeros(shape)
    with pytest.raises(ProjectionError) as caught:
        ProjectTo(x)(t)
    assert caught.value.space.shape == shape
    assert caught.value.value is t or np.shape(caught.value.value) == np.shape(t)


@pytest.mark.parametrize("dtype", REAL + COMPLEX)
@pytest.mark.parametrize("t", [2.0, 2, True, np.float64(2.0), np.float32(2.0), np.array([[2.0]])])
def test_a_number_for_an_array_of_one_entry(dtype, t):
    result = ProjectTo(np.zeros((1,), dtype))(t)
    assert (type(result), result.dtype, result.shape) == (np.ndarray, np.dtype(dtype), (1,))
    assert result[0] == t


def test_numpy_makes_scalars_of_zero_dimensional_arrays_and_so_do_cotangents():
    t = np.float64(2.0)
    assert ProjectTo(np.array(1.0))(t) is t


def test_byte_order_is_the_machines():
    swapped = np.ones(3).astype(np.dtype("float64").newbyteorder())
    t = np.ones(3)
    assert ProjectTo(swapped)(t) is t
    assert ProjectTo(t)(swapped).dtype.isnative


def test_an_old_matrix_becomes_an_array():
    with warnings.catch_warnings(action="ignore", category=PendingDeprecationWarning):
        t = np.matrix([[1.0, 2.0]])
    assert type(ProjectTo(np.zeros((1, 2)))(t)) is np.ndarray


class MyArray(np.ndarray):
    """A user's array class."""


def test_subclasses_and_plain_arrays_stand_for_each_other():
    plain, mine = np.ones(3), np.ones(3).view(MyArray)
    assert ProjectTo(mine)(plain) is plain
    assert ProjectTo(plain)(mine) is mine


def test_an_object_array_has_no_known_tangents():
    x = np.array([1.0, None], dtype=object)
    assert ProjectTo(x)(ZERO) is ZERO
    with pytest.raises(ProjectionError):
        ProjectTo(x)(np.ones(2))


def test_keeps_no_array():
    x = np.ones(3)
    alive = weakref.ref(x)
    project = ProjectTo(x)
    del x
    gc.collect()
    assert alive() is None
    assert project(np.ones(3)).shape == (3,)


@pytest.mark.parametrize("recorded", [False], indirect=True)
@pytest.mark.parametrize(
    ("x", "t", "log"),
    [
        (np.zeros(3), np.ones(3), []),
        (np.zeros(3), np.ones(3) + 1j, ["real"]),
        (np.zeros(3, "float32"), np.ones(3), ["astype"]),
        (np.zeros(3, "float32"), np.ones((3, 1)) + 1j, ["reshape", "real", "astype"]),
        (np.zeros(3, complex), np.ones(3), ["astype"]),
    ],
)
def test_a_traced_cotangent_stays_traced(recorded, x, t, log):
    t = recorded(t)
    result = ProjectTo(x)(t)
    assert type(result) is type(t)
    assert (result.shape, result.dtype) == (x.shape, x.dtype)
    assert t.log == log
    assert (result is t) is (log == [])


def test_a_plain_cotangent_of_a_traced_value(recorded):
    t = np.ones(3)
    assert ProjectTo(recorded(np.zeros(3)))(t) is t


@pytest.mark.parametrize("recorded", [True], indirect=True)
def test_never_from_one_device_to_another(recorded):
    for x, t in [(recorded(np.zeros(3)), np.ones(3)), (np.zeros(3), recorded(np.ones(3)))]:
        with pytest.raises(ProjectionError) as caught:
            ProjectTo(x)(t)
        assert caught.value.value is t


FIT = [
    # cotangent, shape, dtype, expected
    (np.full((2, 3), 2.0), (3,), "float64", np.full(3, 4.0)),
    (np.full((2, 3), 2.0), (2, 3), "float32", np.full((2, 3), 2.0)),
    (np.full((2, 3), 2.0), (), "float32", 12.0),
    (np.full((2, 3), 2 + 1j), (3,), "float32", np.full(3, 4.0)),
    (np.full((2, 3), 2 + 1j), (3,), "complex64", np.full(3, 4 + 2j)),
    (np.full((2, 3), 2.0), (3,), "complex128", np.full(3, 4.0)),
    (np.full((2, 3), 2.0, "float16"), (3,), "longdouble", np.full(3, 4.0)),
    (np.ones((0, 3)), (3,), "float64", np.zeros(3)),
    (np.float64(2.0), (), "float32", 2.0),
    (np.float32(2.0), (), "float64", 2.0),
    (np.array(2.0), (), "float64", 2.0),
    (np.complex128(2 + 1j), (), "float64", 2.0),
    (2.0, (), "float32", 2.0),
]


@pytest.mark.parametrize(("x_bar", "shape", "dtype", "expected"), FIT)
def test_fit(x_bar, shape, dtype, expected):
    result = fit(x_bar, shape, np.dtype(dtype))
    assert (result.shape, result.dtype) == (shape, np.dtype(dtype))
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("dtype", ["int64", "bool", "U3"])
def test_fit_to_what_has_no_tangents(dtype):
    assert fit(np.ones(3), (3,), np.dtype(dtype)) is NO_TANGENT


@pytest.mark.parametrize("x_bar", [np.ones(2), np.ones(2) + 1j, np.ones(2, object), None])
def test_fit_refuses(x_bar):
    with pytest.raises(ProjectionError) as caught:
        fit(x_bar, (3,), np.dtype("float64"))
    assert caught.value.value is x_bar or x_bar.dtype.kind == "c"


@pytest.mark.parametrize("recorded", [False, True], indirect=True)
def test_fit_traces_and_stays_on_the_device(recorded):
    x_bar = recorded(np.ones((2, 3)) + 1j)
    result = fit(x_bar, (3,), np.dtype("float32"))
    assert x_bar.log == ["real", "sum", "astype"]
    np.testing.assert_array_equal(result.value, np.full(3, 2.0, "float32"))
