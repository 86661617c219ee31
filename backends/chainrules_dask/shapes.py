"""Other shapes of the same entries, joined and repeated ones, and arrays of one value."""

from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from chainrules_dask.errors import raise_not_lazy


def reshape(a, /, shape, order: str = "C", *, copy: Any = None) -> Any:
    """The array in another shape; flat in between, where Dask cannot cut its chunks otherwise."""
    if order not in ("C", "A"):
        raise_not_lazy(
            "reshape", f"order={order!r}", "transpose first: order='C' is what chunks can be cut by"
        )
    a = da.asarray(a)
    shape = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    if a.size == 0:
        resolved_shape = np.empty(a.shape, bool).reshape(shape).shape  # with a number for -1
        return da.zeros(resolved_shape, dtype=a.dtype)
    try:
        return da.reshape(a, shape)
    except NotImplementedError:
        return da.reshape(da.ravel(a), shape)


def flattened(a, axis: int | None) -> tuple[Any, int]:
    """The array, flat where no axis is meant, and the axis, counted from the first."""
    return (da.ravel(a), 0) if axis is None else (a, normalize_axis_index(axis, a.ndim))


def matrix_transpose(x, /) -> Any:
    """The array with its last two axes swapped."""
    return da.swapaxes(x, -1, -2)


def triangle(name: str) -> Callable[..., Any]:
    """Make `tril` or `triu`, because Dask's own functions fail on complex numbers."""

    def part(m, k: int = 0):
        m = m if m.ndim > 1 else da.broadcast_to(m, (m.size, m.size))
        is_lower = name == "tril"
        last = k if is_lower else k - 1  # the last diagonal that is in the lower triangle
        lower = da.tri(*m.shape[-2:], k=last, dtype=bool, chunks=m.chunks[-2:])
        return da.where(lower if is_lower else ~lower, m, np.zeros((), m.dtype))

    return part


def diagonal(x, /, *, offset: int = 0) -> Any:
    """The diagonals of the matrices in the last two axes."""
    return da.diagonal(x, offset, -2, -1)


def full(shape, fill_value, dtype: Any = None, order: str = "C", **options) -> Any:
    """An array of one value, which may be a Dask array."""
    if not isinstance(fill_value, da.Array):
        return da.full(shape, fill_value, dtype=dtype, **options)
    return da.broadcast_to(fill_value.astype(dtype or fill_value.dtype), shape)


def repeat(a, repeats, axis: int | None = None) -> Any:
    """The entries so many times each; Dask's own function fails at none."""
    a, axis = flattened(a, axis)
    if np.ndim(repeats) or repeats * a.size:
        return da.repeat(a, repeats, axis=axis)
    lengths = list(a.shape)
    lengths[axis] *= repeats
    return da.zeros(tuple(lengths), dtype=a.dtype)


def delete(arr, obj, axis: int | None = None) -> Any:
    """The array without some of its slices; Dask's own function takes masks for positions."""
    arr, axis = flattened(da.asarray(arr), axis)
    return da.take(arr, np.delete(np.arange(arr.shape[axis]), obj), axis=axis)


def itself(x, dtype: Any = None, *args, **options):
    """The array with at least one axis, as `ascontiguousarray` gives it; chunks decide on order."""
    x = da.atleast_1d(x)
    return x if dtype is None else x.astype(dtype)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{f.__name__: f for f in (reshape, matrix_transpose, full, repeat, delete)},
    **{name: triangle(name) for name in ("tril", "triu")},
    **dict.fromkeys(("ascontiguousarray", "asfortranarray", "require"), itself),
}
LINALG: dict[str, Callable[..., Any]] = {f.__name__: f for f in (matrix_transpose, diagonal)}
