"""Arrays made of nothing, or of what is no array yet."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from chainrules_torch.arrays.promotion import NUMPY_DTYPES, torch_dtype
from chainrules_torch.arrays.tensor_array import TensorArray, tensor_of


def asarray(
    a, dtype: Any = None, order: str | None = None, *, copy: bool | None = None, **_
) -> TensorArray:
    """Return a value as an array."""
    if type(a) is TensorArray and dtype is None:
        return a
    return TensorArray(tensor_of(a, dtype))


def array(
    object, dtype: Any = None, *, copy: bool | None = True, ndmin: int = 0, **_
) -> TensorArray:
    """Return a value as an array, of `ndmin` axes at least."""
    t = tensor_of(object, dtype)
    return TensorArray(t.reshape((1,) * (ndmin - t.ndim) + tuple(t.shape)))


def contiguous(a, dtype: Any = None, **_) -> TensorArray:
    """Return a value as an array of one axis at least."""
    return TensorArray(torch.atleast_1d(tensor_of(a, dtype)))


def filled(value: int) -> Callable[..., Any]:
    """Make `zeros` or `ones`."""

    def compute(shape, dtype: Any = float, order: str = "C", **_) -> TensorArray:
        return full(shape, value, float if dtype is None else dtype)

    return compute


def filled_like(value: int) -> Callable[..., Any]:
    """Make `zeros_like` or `ones_like`."""

    def compute(a, dtype: Any = None, *, shape: Any = None, **_) -> TensorArray:
        return full_like(a, value, dtype, shape=shape)

    return compute


def full(shape, fill_value, dtype: Any = None, order: str = "C", **_) -> TensorArray:
    """Return an array with one number everywhere."""
    shape = tuple(map(int, shape)) if isinstance(shape, tuple | list) else (int(shape),)
    if isinstance(fill_value, int | float | complex):
        wanted = torch_dtype(np.asarray(fill_value).dtype if dtype is None else dtype)
        return TensorArray(torch.full(shape, fill_value, dtype=wanted))
    return TensorArray(torch.broadcast_to(tensor_of(fill_value, dtype), shape))


def full_like(a, fill_value, dtype: Any = None, *, shape: Any = None, **_) -> TensorArray:
    """Return an array like another, with one number everywhere."""
    t = tensor_of(a)
    shape = t.shape if shape is None else shape
    wanted = t.dtype if dtype is None else torch_dtype(dtype)
    if isinstance(fill_value, int | float | complex):
        lengths = (shape,) if isinstance(shape, int) else tuple(shape)
        return TensorArray(t.new_full(lengths, fill_value, dtype=wanted))
    return full(shape, fill_value, NUMPY_DTYPES[wanted])


def arange(*args, dtype: Any = None, **_) -> TensorArray:
    """Return numbers at equal distances."""
    return TensorArray(torch.tensor(np.arange(*args, dtype=dtype)))


def of_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let NumPy compute a function of sizes, which returns an array."""
    return lambda *args, **options: TensorArray(torch.tensor(function(*args, **options)))


def of_numpy_several(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let NumPy compute a function of sizes, which returns several arrays."""

    def compute(*args, **options) -> tuple[TensorArray, ...]:
        return tuple([TensorArray(torch.tensor(x)) for x in function(*args, **options)])

    return compute


def finfo(x) -> Any:
    """Return NumPy's description of a floating dtype."""
    return np.finfo(x.dtype if isinstance(x, TensorArray) else x)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (asarray, array, full, full_like, arange, finfo)
}
FUNCTIONS |= {
    "asanyarray": asarray,
    "ascontiguousarray": contiguous,
    "asfortranarray": contiguous,
    "zeros": filled(0),
    "ones": filled(1),
    "empty": filled(0),
    "zeros_like": filled_like(0),
    "ones_like": filled_like(1),
    "empty_like": filled_like(0),
    **{name: of_numpy(getattr(np, name)) for name in ("eye", "identity", "tri", "indices")},
    **{
        name: of_numpy_several(getattr(np, name))
        for name in ("tril_indices", "triu_indices", "diag_indices")
    },
}
FFT = {name: of_numpy(getattr(np.fft, name)) for name in ("fftfreq", "rfftfreq")}
