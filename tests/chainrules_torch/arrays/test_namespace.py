"""`xp` of rules on tensors: which names it has, that they are NumPy's, the methods of arrays, values that
are none, positions, and dtypes.
"""

from operator import attrgetter

import numpy as np
import pytest
import torch

from chainrules_array_api.standard_array import own_dtype
from chainrules_py.calls.method_names import METHODS
from chainrules_py.errors import TangentTypeError
from chainrules_tape import grad
from chainrules_torch import to_torch
from chainrules_torch.arrays.namespace import OWN, has, is_missing, namespace
from chainrules_torch.arrays.tensor_array import NUMPY_DTYPES, TensorArray, functions, tensor_of
from chainrules_torch.arrays.writing import selected_positions
from stand_ins.tensor_calls import in_numpy, on_tensor, require_equal

X = np.array([[0.3, -1.7, 0.0], [2.5, 0.9, -0.4]])
ARGUMENTS = {
    "take": ([0, 2],),
    "repeat": (2,),
    "swapaxes": (0, 1),
    "dot": (X.T,),
    "clip": (-1.0, 1.0),
    "astype": (np.float32,),
    "reshape": ((3, 2),),
    "transpose": (1, 0),
}


def test_every_name_is_numpys():
    assert all(has(attrgetter(name.removeprefix("numpy."))(np)) for name in OWN)


def test_constants_and_dtypes_are_numpys_own():
    assert namespace.pi == np.pi
    assert namespace.float32 is np.float32


@pytest.mark.parametrize("name", [*METHODS, *("reshape", "transpose", "flatten")])
def test_methods(name):
    x = np.sort(X[0]) if name == "searchsorted" else X
    args = (0.1,) if name == "searchsorted" else ARGUMENTS.get(name, ())
    found = getattr(on_tensor(x), name)(*map(on_tensor, args))
    require_equal(found, getattr(x, name)(*args), name)


def test_shapes_of_a_method_may_stand_alone():
    assert (
        on_tensor(X).reshape(3, 2).shape
        == on_tensor(X).reshape((3, 2)).shape
        == on_tensor(X).T.shape
        == (3, 2)
    )
    assert on_tensor(X).transpose((1, 0)).shape == on_tensor(X).transpose().shape == (3, 2)


def test_what_is_here_and_what_numpy_computes():
    assert has(np.linalg.solve)
    assert not is_missing(np.linalg.solve)
    assert is_missing(np.unwrap)
    assert not is_missing(np.polynomial.polynomial.polyval)
    assert not is_missing(test_methods)
    assert not has(test_methods)
    assert isinstance(namespace.sin(on_tensor(X)), TensorArray)
    assert not has(np.cov)  # a program of others
    assert not is_missing(np.cov)
    assert isinstance(namespace.cov(on_tensor(X)), TensorArray)


def unwrapped(x):
    return np.sum(np.unwrap(x) ** 2)


def test_an_absent_function_is_named():
    x = torch.tensor([0.3, 0.4], dtype=torch.float64)
    with pytest.raises(AttributeError, match=r"unwrap .*to_torch"):
        grad(unwrapped)(x)
    x.requires_grad_()
    to_torch(unwrapped)(x).backward()
    assert np.allclose(x.grad, [0.6, 0.8])


def on_no_device(*shape):
    """An array without entries: whoever moves it to the CPU, or asks for a number, fails."""
    return TensorArray(torch.empty(shape, dtype=torch.float64, device="meta"))


M, V = on_no_device(3, 3), on_no_device(3)
ON_THE_DEVICE = {
    "append": (V, M),
    "average": (M, 1, V),
    "block": ([[M, M]],),
    "choose": (np.array([0, 1, 0]), [V, V]),
    "corrcoef": (M,),
    "cov": (M,),
    "cross": (M, V),
    "cumulative_sum": (V,),
    "delete": (V, 1),
    "diff": (V, 1, -1, 0.0),
    "geomspace": (V, 2.0, 4),
    "gradient": (V,),
    "histogram": (V, 3, (0.0, 1.0)),
    "inner": (M, V),
    "insert": (V, 1, 2.0),
    "interp": (V, V, V),
    "kron": (M, V),
    "linalg.cond": (M,),
    "linalg.matrix_power": (M, 3),
    "linalg.tensorinv": (M, 1),
    "linspace": (0.0, V, 4),
    "meshgrid": (V, V),
    "nanmean": (M,),
    "pad": (M, 1, "edge"),
    "polyval": (V, M),
    "resize": (V, (2, 4)),
    "select": ([TensorArray(M.tensor.bool())], [M], 0.5),
    "tile": (M, 2),
    "trapezoid": (M,),
    "vander": (V,),
    "vecdot": (M, V),
}


@pytest.mark.parametrize("name", ON_THE_DEVICE)
def test_programs_stay_on_the_device_of_tensors(name):
    found = attrgetter(name)(np)(*ON_THE_DEVICE[name])
    first = found[0] if isinstance(found, tuple | list) else found
    assert first.tensor.is_meta


def test_values_that_are_no_arrays():
    assert tensor_of([1, 2.5]).dtype == torch.float64
    stacked = tensor_of([on_tensor(X[0]), X[1]])
    np.testing.assert_array_equal(stacked, X)
    assert tensor_of(2, np.float32).dtype == torch.float32
    assert in_numpy(3) == 3
    assert "TensorArray(tensor([1.]))" == repr(TensorArray(torch.ones(1)))


def test_positions_on_a_device_are_looked_up_there():
    elsewhere = TensorArray(torch.zeros(2, dtype=torch.int64, device="meta"))
    assert selected_positions((elsewhere,), (3,)).is_meta
    assert namespace.take(np.ones((3, 4)), elsewhere, axis=0).tensor.is_meta


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_there_and_back(dtype):
    assert own_dtype(functions, NUMPY_DTYPES[dtype]) is dtype
    assert torch.ones(1, dtype=dtype).numpy().dtype == NUMPY_DTYPES[dtype]


def test_what_stands_for_a_dtype():
    assert own_dtype(functions, float) is torch.float64
    assert own_dtype(functions, "complex64") is torch.complex64
    assert own_dtype(functions, np.dtype(">f4")) is torch.float32


@pytest.mark.parametrize("unknown", [torch.bfloat16, torch.float8_e5m2], ids=str)
def test_what_numpy_does_not_have_is_refused_by_name(unknown):
    with pytest.raises(
        TangentTypeError,
        match=f"{unknown!s}, which only one of NumPy and array_api_compat.torch has",
    ):
        _ = TensorArray(torch.ones(1).to(unknown)).dtype


@pytest.mark.parametrize("unknown", [np.longdouble, "U3", object])
def test_what_pytorch_does_not_have_is_refused_by_name(unknown):
    with pytest.raises(TangentTypeError, match="which only one of NumPy and"):
        own_dtype(functions, unknown)
