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
