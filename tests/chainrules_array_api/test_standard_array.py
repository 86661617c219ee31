"""`StandardArray`: attributes, operators and indices as NumPy's arrays have them, and what it
refuses to become.
"""

import operator

import array_api_strict
import numpy as np
import pytest

from chainrules_array_api.standard_array import (
    StandardArray,
    alike,
    array_of,
    namespace_of,
    on_host,
    own_dtype,
    unwrapped,
)
from chainrules_py.errors import NotDifferentiableError
from stand_ins.standard_calls import require_numpys, standard

X = np.arange(24.0).reshape(2, 3, 4) - 7
OPERATORS = "add sub mul truediv floordiv mod pow eq ne lt le gt ge"
INDICES = {
    "a number": 1,
    "a part": np.s_[:, 1:],
    "backwards": np.s_[::-1, :, ::-2],
    "beyond the ends": np.s_[-9:9, ..., 9:-9:-2],
    "before the first": np.s_[..., -9::-1],
    "a new axis": np.s_[:, None, ..., 0],
    "places": (np.array([0, 1, 0]), np.array([2, 0, 1])),
    "a list": [1, 0],
    "a number beside places": np.s_[1, np.array([2, 0])],
    "a mask": X > 3,
    "a mask of the first axes": X[..., 0] > -5,
    "numpy's integers": np.s_[np.int64(1), np.uint8(2)],
    "nothing": (),
    "too large": 5,
}


@pytest.mark.parametrize("name", ["shape", "ndim", "size", "dtype", "T", "real", "imag"])
@pytest.mark.parametrize(
    "x",
    [X, X.astype("float32"), X + 1j, X[0, 0, 0:0], np.array(2.0)],
    ids=lambda x: f"{x.dtype}{x.shape}",
)
def test_attributes(x, name):
    require_numpys(lambda xp, x: getattr(x, name), x)


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_indices(index):
    require_numpys(lambda xp, x: x[index], X)
    if isinstance(index, np.ndarray):
        require_numpys(lambda xp, x, places: x[places], X, index)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize("name", OPERATORS.split())
def test_operators(name, dtype):
    function = getattr(operator, name)
    x, y = ((1 + np.abs(part)).astype(dtype) for part in (X[0], X[0] % 3))
    for other in (2, 1.5, True, np.float32(2), np.float64(2), y[0], y.astype("float32")):
        require_numpys(lambda xp, x, other=other: function(x, other), x)
        require_numpys(lambda xp, x, other=other: function(other, x), x)
    require_numpys(lambda xp, x, y: function(x, y), x, y)


def test_operators_of_one_array_and_of_whole_numbers():
    require_numpys(lambda xp, x: -x + abs(x) + (+x), X)
    require_numpys(lambda xp, x: ~x & 3 | x ^ 1, np.arange(4))
    require_numpys(lambda xp, x: x @ np.swapaxes(X, -1, -2), X)


def test_methods():
    require_numpys(lambda xp, x: x.sum(axis=1).reshape(2, -1).transpose().mean(), X)
    require_numpys(lambda xp, x: x.reshape((4, 6)).T.flatten().astype(np.float32), X)
    require_numpys(lambda xp, x: x.transpose(1, 0, 2).cumsum(0), X)


def test_a_real_number_does_not_become_pythons_and_an_integer_does():
    half, three = standard(np.array(0.5)), standard(np.array(3))
    for convert in (float, int, operator.index, np.asarray):
        with pytest.raises(NotDifferentiableError, match="call NumPy's functions on it"):
            convert(half)
        assert convert(three) == 3
    assert bool(half)
    with pytest.raises(TypeError, match="unhashable"):
        hash(half)


def test_it_has_a_length_and_parts():
    x = standard(X)
    assert len(x) == 2
    for found, expected in zip(x, X, strict=True):
        np.testing.assert_array_equal(on_host(found), expected)
    assert repr(standard(np.array(1.0))).startswith("StandardArray(")


def test_values_as_arrays_of_a_library():
    xp = standard(X).xp
    assert array_of(xp, [1, 2.5]).dtype == xp.float64
    stacked = array_of(xp, [standard(X[0]), X[1]])
    np.testing.assert_array_equal(on_host(stacked), X)
    assert [x.dtype for x in alike(xp, standard(np.arange(2)), standard(X))] == [xp.float64] * 2
    assert namespace_of([1.0, [X, standard(X)]]) is xp
    assert namespace_of([1.0, [X]]) is np
    assert isinstance(unwrapped(standard(X)), type(array_api_strict.asarray(X)))
    assert StandardArray(array_api_strict.asarray(X), is_given=True).is_given


def test_a_dtype_that_the_standard_lacks_is_refused_by_name():
    with pytest.raises(TypeError, match="float16"):
        own_dtype(standard(X).xp, np.float16)
