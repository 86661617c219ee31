"""Arrays of the standard and of PyTorch as rules see them: attributes, operators, methods and
indices as NumPy's arrays have them, and what they refuse to become.
"""

import operator
from importlib.util import find_spec

import numpy as np
import pytest

from chainrules_array_api.standard_array import StandardArray, on_host
from chainrules_py.errors import NotDifferentiableError
from late import Late
from stand_ins.standard_calls import standard

MAKERS = {"the standard": standard}
if find_spec("torch"):
    MAKERS["PyTorch"] = Late("stand_ins.tensor_calls:on_tensor")
each_library = pytest.mark.parametrize("library", MAKERS)

X = np.arange(24.0).reshape(2, 3, 4) - 7
OPERATORS = "add sub mul truediv floordiv mod pow eq ne lt le gt ge and_ or_ xor"
INDICES = {
    "a number": 1,
    "a part": np.s_[:, 1:],
    "backwards": np.s_[::-1, :, ::-2],
    "backwards, of nothing": np.s_[:, 1:2:-1],
    "beyond the ends": np.s_[-9:9, ..., 9:-9:-2],
    "before the first": np.s_[..., -9::-1],
    "a new axis": np.s_[:, None, ..., 0],
    "places": (np.array([0, 1, 0]), np.array([2, 0, 1])),
    "a list": [1, 0],
    "a number beside places": np.s_[1, np.array([2, 0])],
    "a number beside one place": np.s_[1, np.array(2)],
    "places and a part backwards": np.s_[np.array([1, 0]), ::-1],
    "a mask": X > 3,
    "a mask of the first axes": X[..., 0] > -5,
    "a mask beside a number": np.s_[1, X[1] > 6],
    "a mask that holds once beside a number": np.s_[X[:, 0, 0] > 0, 1],
    "a mask that holds nowhere beside a number": np.s_[X[:, 0, 0] > 99, 1],
    "a mask beside a part backwards": np.s_[X[:, 0, 0] > 0, ::-1],
    "true before a part backwards": np.s_[True, ::-1],
    "true after a part": np.s_[::-1, np.True_],
    "false": False,
    "place, part, places": np.s_[np.array(1), 0:2, np.array([3, 0])],
    "a number, a new axis, places": np.s_[1, None, np.array([2, 0])],
    "numpy's integers": np.s_[np.int64(1), np.uint8(2)],
    "nothing": (),
    "too large": 5,
    "a mask that is too short": np.s_[0, np.array([True, False])],
    "real numbers": np.array([0.0, 1.0]),
}


def answer(function, *operands):
    """What a function gives, or None where it gives an error."""
    try:
        with np.errstate(all="ignore"):
            return function(*operands)
    except Exception:
        return None


def require_numpys(library, function, *arrays):
    """Raise unless a function gives on arrays of a library what it gives on NumPy's."""
    expected = answer(function, *arrays)
    found = answer(function, *map(MAKERS[library], arrays))
    if expected is None:
        assert found is None, found
    elif isinstance(expected, np.ndarray | np.generic):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        got = on_host(found) if isinstance(found, StandardArray) else found
        rtol = {"float16": 5e-3, "float32": 1e-5}.get(expected.dtype.name, 1e-12)
        np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol)
    else:
        assert found == expected


@each_library
@pytest.mark.parametrize(
    "name", ["shape", "ndim", "size", "nbytes", "dtype", "T", "mT", "real", "imag"]
)
@pytest.mark.parametrize(
    "x",
    [X, X.astype("float32"), X + 1j, X[0, 0, 0:0], np.array(2.0)],
    ids=["", "single", "complex", "empty", "0-d"],
)
def test_attributes(library, x, name):
    if x.ndim > 1 or name != "mT":
        require_numpys(library, operator.attrgetter(name), x)


@each_library
@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_indices(library, index):
    parts = index if isinstance(index, tuple) else (index,)
    if library == "the standard" and {bool, np.bool} & {*map(type, parts)}:
        pytest.skip("the standard has no axis of a single truth value")
    require_numpys(library, lambda x: x[index], X)
    if isinstance(index, np.ndarray):
        require_numpys(library, lambda x, places: x[places], X, index)


@each_library
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "complex128", "int64"])
@pytest.mark.parametrize("name", OPERATORS.split())
def test_operators(library, name, dtype):
    function = getattr(operator, name)
    is_ordering = name in ("lt", "le", "gt", "ge")
    if (is_ordering and dtype == "complex128") or (library, dtype) == ("the standard", "float16"):
        pytest.skip("NumPy alone orders complex numbers, and the standard has no half precision")
    x, y = ((1 + np.abs(part)).astype(dtype) for part in (X[0], X[0] % 3))
    for other in (2, 1.5, True, np.float32(2), np.float64(2), y[0], y.real.astype("float32")):
        require_numpys(library, lambda x, other=other: function(x, other), x)
        require_numpys(library, lambda x, other=other: function(other, x), x)
    require_numpys(library, function, x, y)


@each_library
@pytest.mark.parametrize("name", ["neg", "abs", "pos", "invert"])
@pytest.mark.parametrize("x", [X, X.astype(int), X + 1j], ids=["real", "integer", "complex"])
def test_operators_of_one(library, x, name):
    require_numpys(library, getattr(operator, name), x)


@each_library
def test_methods_and_products(library):
    for method in (
        lambda x: x.sum(axis=1).reshape(2, -1).transpose().mean(),
        lambda x: x.reshape((4, 6)).T.flatten().astype(np.float32),
        lambda x: x.transpose(1, 0, 2).cumsum(0),
        lambda x: x @ np.swapaxes(X, -1, -2),
    ):
        require_numpys(library, method, X)


@each_library
def test_a_real_number_does_not_become_pythons_and_an_integer_does(library):
    half, three = map(MAKERS[library], (np.array(0.5), np.array(3)))
    for convert in (float, int, operator.index, np.asarray):
        with pytest.raises(NotDifferentiableError, match="call NumPy's functions on it"):
            convert(half)
        assert convert(three) == 3
    assert bool(half)
    with pytest.raises(TypeError, match="unhashable"):
        hash(half)


@each_library
def test_it_has_a_length_and_parts(library):
    x = MAKERS[library](X)
    assert len(x) == 2
    for found, expected in zip(x, X, strict=True):
        np.testing.assert_array_equal(on_host(found), expected)
    with pytest.raises(TypeError):
        len(MAKERS[library](np.array(1.0)))
