"""`TensorArray`: attributes, operators and indices as NumPy's arrays have them, and what it refuses
to become.
"""

import operator

import numpy as np
import pytest
import torch

from chainrules_py.errors import NotDifferentiableError
from chainrules_torch.arrays.tensor_array import TensorArray, tensor_of
from stand_ins.tensor_calls import DTYPES, in_numpy, on_tensor, require_equal

X = np.arange(24.0).reshape(2, 3, 4) - 7
OPERATORS = "add sub mul truediv floordiv mod pow eq ne lt le gt ge and_ or_ xor"
ATTRIBUTES = "shape ndim size nbytes dtype T mT real imag"
INDICES = {
    "a number": 1,
    "a part": np.s_[:, 1:],
    "backwards": np.s_[::-1, :, ::-2],
    "backwards, of nothing": np.s_[:, 1:2:-1],
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


@pytest.mark.parametrize("name", ATTRIBUTES.split())
@pytest.mark.parametrize(
    "x",
    [X, X.astype("float32"), X + 1j, X[0, 0, 0:0], np.array(2.0)],
    ids=["", "single", "complex", "empty", "0-d"],
)
def test_attributes(x, name):
    if (x.ndim, name) in {(0, "mT"), (1, "mT")}:
        pytest.skip("NumPy's has none")
    require_equal(getattr(on_tensor(x), name), getattr(x, name), name)


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_indices(index):
    try:
        expected = X[index]
    except IndexError:
        with pytest.raises(IndexError):
            on_tensor(X)[index]
        return
    require_equal(on_tensor(X)[index], np.asarray(expected), "")
    places = tuple(map(on_tensor, index)) if isinstance(index, tuple) else on_tensor(index)
    require_equal(on_tensor(X)[places], np.asarray(expected), "")


def answer(function, *operands):
    """What an operator gives, or None where it gives an error."""
    try:
        with np.errstate(all="ignore"):
            return function(*operands)
    except (TypeError, ValueError, RuntimeError):
        return None


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPERATORS.split())
def test_operators(name, dtype):
    function = getattr(operator, name)
    x, y = ((1 + np.abs(part)).astype(dtype) for part in (X[0], X[0] % 3))
    for other in (y, np.float32(2), 2, 1.5, y[0]):
        for operands in ((x, other), (other, x)):
            expected = answer(function, *operands)
            found = answer(function, *map(on_tensor, operands))
            # PyTorch orders none
            if expected is None or (dtype == "complex128" and name in ("lt", "le", "gt", "ge")):
                assert found is None, (name, dtype, other)
                continue
            require_equal(found, expected, f"{name} {dtype} {other!r}")


@pytest.mark.parametrize("name", ["neg", "abs", "pos", "invert"])
@pytest.mark.parametrize("x", [X, X.astype(int), X + 1j], ids=["real", "integer", "complex"])
def test_operators_of_one(x, name):
    expected, found = (answer(getattr(operator, name), each) for each in (x, on_tensor(x)))
    assert (found is None) == (expected is None)
    if expected is not None:
        require_equal(found, expected, name)


def test_matrix_products():
    require_equal(on_tensor(X) @ on_tensor(X[0].T), X @ X[0].T, "@")
    require_equal(X[0] @ on_tensor(X[0].T), X[0] @ X[0].T, "@")


def test_a_real_number_does_not_become_pythons_and_an_integer_does():
    half, three = on_tensor(np.array(0.5)), on_tensor(np.array(3))
    for convert in (float, int, operator.index, np.asarray):
        with pytest.raises(NotDifferentiableError, match="call NumPy's functions on it"):
            convert(half)
        assert convert(three) == 3
    assert bool(half)
    with pytest.raises(TypeError, match="unhashable"):
        hash(half)


def test_it_has_a_length_and_parts():
    x = on_tensor(X)
    assert len(x) == 2
    for found, expected in zip(x, X, strict=True):
        require_equal(found, expected, "a part")
    with pytest.raises(TypeError):
        len(on_tensor(np.array(1.0)))


def test_values_that_are_no_arrays():
    assert tensor_of([1, 2.5]).dtype == torch.float64
    stacked = tensor_of([on_tensor(X[0, 0]), X[0, 1]])
    np.testing.assert_array_equal(stacked, X[0, :2])
    assert tensor_of(2, np.float32).dtype == torch.float32
    assert in_numpy(3) == 3
    assert "TensorArray(tensor([1.]))" == repr(TensorArray(torch.ones(1)))
