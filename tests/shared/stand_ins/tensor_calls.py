"""Calls of NumPy's functions by name, on NumPy's arrays and on tensors, for tests of
`chainrules_torch.arrays`.
"""

from typing import Any

import numpy as np
import torch

from chainrules_torch.arrays.tensor_array import TensorArray

TOLERANCES = {"float16": 5e-3, "float32": 1e-5, "complex64": 1e-5}


def on_tensor(x: Any) -> Any:
    """An array as one of a tensor."""
    return (
        TensorArray(torch.tensor(np.ascontiguousarray(x)).reshape(x.shape))
        if isinstance(x, np.ndarray)
        else x
    )


def in_numpy(x: Any) -> Any:
    """An array of a tensor as NumPy's."""
    return x.tensor.resolve_conj().resolve_neg().numpy() if isinstance(x, TensorArray) else x


def require_equal(found: Any, expected: Any, where: str) -> None:
    """Raise unless a value on tensors is NumPy's, in classes, shapes, dtypes and numbers."""
    if isinstance(found, Exception):
        raise AssertionError(f"{where}: refused on tensors") from found
    if isinstance(expected, tuple | list):
        assert type(found) is type(expected) or isinstance(found, torch.Size), where
        assert len(found) == len(expected), where
        for one, other in zip(found, expected, strict=True):
            require_equal(one, other, where)
    elif isinstance(expected, np.ndarray | np.generic):
        assert isinstance(found, TensorArray | type(expected)), (
            f"{where}: {found!r} in the place of an array"
        )
        got = in_numpy(found)
        assert (got.dtype, got.shape) == (
            expected.dtype,
            expected.shape,
        ), f"{where}: {got!r} in the place of {expected!r}"
        tolerance = TOLERANCES.get(expected.dtype.name, 1e-12)
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance, err_msg=where)
    else:
        assert found == expected, where
