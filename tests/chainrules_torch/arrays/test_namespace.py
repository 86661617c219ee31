"""`xp` of rules on tensors: which names it has, that they are NumPy's, and the methods of arrays."""

from operator import attrgetter

import numpy as np
import pytest
import torch

from chainrules_py.calls.method_names import METHODS
from chainrules_tape import grad
from chainrules_torch import to_torch
from chainrules_torch.arrays.namespace import OWN, has, is_missing, namespace
from chainrules_torch.arrays.tensor_array import TensorArray
from stand_ins.tensor_calls import on_tensor, require_equal

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
    "select": ([M > 0], [M], 0.5),
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
