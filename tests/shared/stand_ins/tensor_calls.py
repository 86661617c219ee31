"""Calls of NumPy's functions by name, on NumPy's arrays and on tensors, for tests of
`chainrules_torch.arrays`.
"""

from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import torch

from chainrules_torch.arrays.namespace import namespace
from chainrules_torch.arrays.tensor_array import TensorArray

TOLERANCES = {"float16": 5e-3, "float32": 1e-5, "complex64": 1e-5}
DTYPES = ("float64", "float32", "float16", "complex128", "int64")


class Call(NamedTuple):
    """A call of NumPy's function of a name; its arrays are in `args` and `options`, in lists and
    tuples, too.
    """

    name: str
    args: tuple[Any, ...]
    options: dict[str, Any]

    def __str__(self) -> str:
        return " ".join(
            [
                self.name,
                *(
                    f"{key}={value}"
                    for key, value in self.options.items()
                    if not isinstance(value, np.ndarray)
                ),
            ]
        )

    def of_dtype(self, dtype: str) -> "Call":
        """This call with its arrays of float64 in another dtype."""

        def converted(x: Any) -> Any:
            return x.astype(dtype) if isinstance(x, np.ndarray) and x.dtype == np.float64 else x

        return Call(
            self.name, everywhere(converted, self.args), everywhere(converted, self.options)
        )


def call(name: str, *args: Any, **options: Any) -> Call:
    """A call of NumPy's function of a name."""
    return Call(name, args, options)


def everywhere(function: Any, x: Any) -> Any:
    """A value with a function applied to what is in its tuples, lists and dicts."""
    if isinstance(x, dict):
        return {key: everywhere(function, part) for key, part in x.items()}
    return (
        type(x)(everywhere(function, part) for part in x)
        if type(x) in (tuple, list)
        else function(x)
    )


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


def outcome(root: Any, made: Call) -> Any:
    """What a call gives, or the error that it raises."""
    with np.errstate(all="ignore"):
        try:
            return reduce(getattr, made.name.split("."), root)(*made.args, **made.options)
        except Exception as error:
            return error


def both(made: Call) -> tuple[Any, Any]:
    """What a call gives on tensors, and by NumPy."""
    on_tensors = Call(
        made.name, everywhere(on_tensor, made.args), everywhere(on_tensor, made.options)
    )
    return outcome(namespace, on_tensors), outcome(np, made)


def require_agreement(made: Call) -> None:
    """Raise unless a call gives on tensors what NumPy gives: values, shapes and dtypes, or an error
    where it gives one.
    """
    found, expected = both(made)
    if isinstance(expected, Exception):
        assert isinstance(found, Exception), f"{made}: {found!r} in the place of {expected!r}"
    else:
        require_equal(found, expected, str(made))


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
