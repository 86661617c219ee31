"""Order, search, and entries at positions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index

from chainrules_torch.arrays.elementwise import where as choose_between
from chainrules_torch.arrays.tensor_array import TensorArray, alike, tensor_of, together


def along(a, axis: int | None) -> tuple[torch.Tensor, int]:
    """Return the tensor in an array, and the axis; a flat one and 0 where the axis is None."""
    t = tensor_of(a)
    return (t.reshape(-1), 0) if axis is None else (t, normalize_axis_index(axis, t.ndim))


def positions_of(x) -> torch.Tensor:
    """Return integers as positions; arrays of other numbers are refused, as by NumPy."""
    if isinstance(x, TensorArray | np.ndarray) and x.dtype.kind in "fc":
        raise TypeError(f"positions of the dtype {x.dtype}")
    return tensor_of(x).long()


def sorting(function: Callable[..., torch.Tensor]) -> Callable[..., TensorArray]:
    """Make `sort` or `argsort`, which are always stable here, of a function of PyTorch's."""

    def compute(
        a,
        axis: int | None = -1,
        kind: Any = None,
        order: Any = None,
        *,
        stable: bool | None = None,
    ) -> TensorArray:
        t, k = along(a, axis)
        return TensorArray(function(t, dim=k, stable=True))

    return compute


def sorted_entries(t: torch.Tensor, **options) -> torch.Tensor:
    """Return the entries that `torch.sort` computes, without their positions."""
    return torch.sort(t, **options).values


def take(a, indices, axis: int | None = None, *, mode: str = "raise") -> TensorArray:
    """Return the entries at positions along an axis."""
    t, k = along(a, axis)
    t, positions = together(t, positions_of(indices))
    if mode != "raise":
        n = t.shape[k]
        positions = torch.clamp(positions, 0, n - 1) if mode == "clip" else positions % n
    found = t.movedim(k, 0)[positions.reshape(-1)]
    found = found.reshape((*positions.shape, *found.shape[1:]))
    return TensorArray(
        found.movedim(tuple(range(positions.ndim)), tuple(range(k, k + positions.ndim)))
    )


def take_along_axis(arr, indices, axis: int | None = -1) -> TensorArray:
    """Entries at the same positions of each line."""
    t, k = along(arr, axis)
    t, positions = together(t, positions_of(indices))
    common = torch.broadcast_shapes(
        (*t.shape[:k], 1, *t.shape[k + 1 :]), (*positions.shape[:k], 1, *positions.shape[k + 1 :])
    )
    t = t.expand(*common[:k], t.shape[k], *common[k + 1 :])
    positions = positions.expand(*common[:k], positions.shape[k], *common[k + 1 :])
    return TensorArray(
        torch.gather(t, k, torch.where(positions < 0, positions + t.shape[k], positions))
    )


def searchsorted(a, v, side: str = "left", sorter: Any = None) -> TensorArray:
    """Where entries would be inserted."""
    x, y = alike(tensor_of(a), tensor_of(v))
    order = None if sorter is None else tensor_of(sorter).long()
    return TensorArray(
        torch.searchsorted(x.contiguous(), y.contiguous(), right=side == "right", sorter=order)
    )


def digitize(x, bins, right: bool = False) -> TensorArray:
    """The bins that entries are in."""
    edges = tensor_of(bins)
    side = "left" if right else "right"
    if len(edges) > 1 and bool(edges[0] > edges[-1]):
        found = searchsorted(TensorArray(edges.flip(0)), x, side)
        return TensorArray(len(edges) - found.tensor)
    return searchsorted(bins, x, side)


def nonzero(a) -> tuple[TensorArray, ...]:
    """The positions of entries that are not zero."""
    return tuple(map(TensorArray, torch.nonzero(tensor_of(a), as_tuple=True)))


def flatnonzero(a) -> TensorArray:
    """The positions in the flat array of entries that are not zero."""
    return nonzero(TensorArray(tensor_of(a).reshape(-1)))[0]


def argwhere(a) -> TensorArray:
    """The positions of entries that are not zero, a row each."""
    return TensorArray(torch.argwhere(tensor_of(a)))


def where(condition, *choices) -> Any:
    """Entries of one array or the other; without arrays, where the condition holds."""
    return choose_between(condition, *choices) if choices else nonzero(condition)


def compress(condition, a, axis: int | None = None) -> TensorArray:
    """The slices where a condition holds."""
    return take(a, flatnonzero(condition), axis)


def isin(
    element,
    test_elements,
    *,
    assume_unique: bool = False,
    invert: bool = False,
    kind: Any = None,
) -> TensorArray:
    """Which entries are among others."""
    return TensorArray(
        torch.isin(*alike(tensor_of(element), tensor_of(test_elements)), invert=invert)
    )


def bincount(x, weights: Any = None, minlength: int = 0) -> TensorArray:
    """The sum of the weights of each integer."""
    positions = positions_of(x)
    if weights is None:
        return TensorArray(torch.bincount(positions, minlength=minlength))
    if not positions.numel():
        raise TypeError("bincount of nothing, whose weights NumPy does not look at")
    if bool(positions.min() < 0):
        raise ValueError("bincount of negative numbers")
    positions, w = together(positions, tensor_of(weights).to(torch.float64))
    count = max(minlength, int(positions.max()) + 1)
    return TensorArray(
        torch.zeros(count, dtype=w.dtype, device=w.device).index_put(
            (positions,), w, accumulate=True
        )
    )


def delete(arr, obj, axis: int | None = None) -> TensorArray:
    """Return an array without some slices."""
    t, k = along(arr, axis)
    removed = np.asarray(obj) if isinstance(obj, TensorArray) else obj
    left = np.delete(np.arange(t.shape[k]), removed)
    return TensorArray(torch.index_select(t, k, torch.tensor(left, device=t.device)))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        *(take, take_along_axis, searchsorted, digitize, isin, bincount, delete),
        *(nonzero, flatnonzero, argwhere, where, compress),
    )
}
FUNCTIONS |= {"sort": sorting(sorted_entries), "argsort": sorting(torch.argsort)}
