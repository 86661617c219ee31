"""Sorting and quantiles along an axis, which becomes one chunk for that, as in Dask's own median."""

from collections.abc import Callable
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from chainrules_dask.errors import raise_not_lazy
from chainrules_dask.shapes import flattened


def along_whole_axis(name: str, a, axis: int | None, dtype: Any = None, **options) -> Any:
    """NumPy's function by this name, on chunks that have all of an axis."""
    a, axis = flattened(a, axis)
    whole = a.rechunk({axis: -1})
    function = getattr(np, name)
    return da.map_blocks(function, whole, dtype=dtype or a.dtype, axis=axis, **options)


def sort(
    a, axis: int | None = -1, kind: Any = None, order: None = None, *, stable: Any = None
) -> Any:
    """The entries in order along an axis."""
    return along_whole_axis("sort", a, axis, kind=kind, stable=stable)


def argsort(
    a, axis: int | None = -1, kind: Any = None, order: None = None, *, stable: Any = None
) -> Any:
    """The positions of the entries in order along an axis."""
    return along_whole_axis("argsort", a, axis, dtype=np.intp, kind=kind, stable=stable)


def take_along_axis(arr, indices, axis: int | None = -1) -> Any:
    """The entries at positions along an axis, which becomes one chunk in both arrays.

    Along the other axes, `blockwise` pairs the chunks of positions with those of entries.
    """
    arr, along = flattened(arr, axis)
    indices = da.asarray(indices)
    lengths = np.broadcast_shapes(*(x.shape[:along] + x.shape[along + 1 :] for x in (arr, indices)))
    whole = [
        da.broadcast_to(x, shape_beside(along, x.shape[along], lengths)).rechunk({along: -1})
        for x in (arr, indices)
    ]
    names = tuple(range(arr.ndim))
    of_arr = tuple(-1 if n == along else n for n in names)
    take = partial(np.take_along_axis, axis=along)
    return da.blockwise(
        take, names, whole[0], of_arr, whole[1], names, concatenate=True, dtype=arr.dtype
    )


def searchsorted(a, v, side: Any = "left", sorter: Any = None) -> Any:
    """The positions at which values would be inserted into a sorted array."""
    return da.searchsorted(da.asarray(a), da.asarray(v), side, sorter)


def shape_beside(axis: int, length: int, others: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with this length along an axis."""
    return (*others[:axis], length, *others[axis:])


def along_axes(name: str) -> Callable[..., Any]:
    """Make a quantile or percentile by Dask's quantiles of chunks that have all of the axis.

    Dask's own percentile merges those of chunks, which is an approximation. Weights are refused,
    because it ignores them.
    """
    found: Any = getattr(da, name.replace("percentile", "quantile"))
    whole = 100 if name.endswith("percentile") else 1

    def quantile(a, q, axis: Any = None, *args, weights: None = None, **options):
        if weights is not None:
            raise_not_lazy(name, "weights", "leave them out: Dask's quantiles do not know them")
        if axis is None:
            a = a.rechunk(-1)
        is_weak = type(q) in (int, float) and a.dtype.kind == "f"
        q = np.true_divide(q, whole, dtype=a.dtype if is_weak else None)
        y: Any = found(a, q, axis, *args, **options)
        return y.map_blocks(np.asarray, y.dtype, dtype=y.dtype)  # which blocks need not have

    return quantile


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{f.__name__: f for f in (sort, argsort, take_along_axis, searchsorted)},
    **{
        name: along_axes(name)
        for name in ("nanquantile", "nanpercentile", "quantile", "percentile")
    },
}
