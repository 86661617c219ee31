"""Entries of a tensor by NumPy's indices.

PyTorch reads ``x[index]`` otherwise than NumPy, or not at all, where a step is negative, and where
numbers or single booleans stand beside arrays. To NumPy, such a number is an array that broadcasts
with the others, and a single boolean is a mask of an axis of length one.
"""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch


def read_tensor(x: torch.Tensor, index: Sequence[Any]) -> torch.Tensor:
    """``x[index]`` as NumPy has it."""
    parts = tuple(map(_as_part, index))
    has_arrays = any(isinstance(part, torch.Tensor) and part.ndim > 0 for part in parts)
    if (has_arrays and any(map(_is_number, parts))) or any(map(_is_reversed_or_single, parts)):
        return _read_part_by_part(x, parts)
    return x[parts]


def _as_part(part):
    if isinstance(part, bool | np.bool_):
        return torch.tensor(bool(part))
    if isinstance(part, list | np.ndarray):
        array = np.asarray(part)
        part = torch.tensor(array if array.size else array.astype(np.int64))
    if isinstance(part, torch.Tensor):
        # PyTorch takes uint8 for booleans; it refuses real numbers, as NumPy does
        is_as_wanted = part.dtype in (torch.bool, torch.int64) or part.dtype.is_floating_point
        return part if is_as_wanted else part.long()
    if isinstance(part, slice):
        bounds = (part.start, part.stop, part.step)
        return slice(*(None if k is None else operator.index(k) for k in bounds))
    if part is None or part is Ellipsis:
        return part
    return operator.index(part)


def _is_number(part) -> bool:
    return isinstance(part, int) or (isinstance(part, torch.Tensor) and part.ndim == 0)


def _is_mask(part) -> bool:
    return isinstance(part, torch.Tensor) and part.dtype == torch.bool


def _is_reversed(part) -> bool:
    return isinstance(part, slice) and part.step is not None and part.step < 0


def _is_reversed_or_single(part) -> bool:
    return _is_reversed(part) or (_is_mask(part) and _is_number(part))


def _axes_of(part) -> int:
    """Return how many axes of the array a part of an index is for."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if _is_mask(part) else 1


def _read_part_by_part(x: torch.Tensor, index: Sequence[Any]) -> torch.Tensor:
    """Read entries by an index that PyTorch understands, after changes of the array: reversed axes
    for negative steps, and an axis for a single boolean.
    """
    other_axes = x.ndim - sum(map(_axes_of, index))
    parts: list[Any] = []
    axis = 0
    for part in index:
        if _is_mask(part):
            if part.ndim == 0:
                x, part = x.unsqueeze(axis), part.reshape(1)
            _require_shape_of_axes(part, x, axis)
            parts += part.nonzero().unbind(1)
            axis += part.ndim
            continue
        if _is_reversed(part):
            x, part = x.flip(axis), _read_forwards(part, x.shape[axis])
        parts.append(part)
        axis += other_axes if part is Ellipsis else _axes_of(part)

    common = torch.broadcast_shapes(*(part.shape for part in parts if torch.is_tensor(part)))
    if common:
        # PyTorch takes an array without axes for a number, and reads that axis first
        parts = [torch.as_tensor(p).expand(common) if _is_number(p) else p for p in parts]
    return x[tuple(parts)]


def _read_forwards(part: slice, length: int) -> slice:
    """Return the slice of a reversed axis that has the entries of a slice with a negative step."""
    positions = range(length)[part]
    if not positions:
        return slice(0, 0)
    first, step = length - 1 - positions.start, -positions.step
    return slice(first, first + len(positions) * step, step)


def _require_shape_of_axes(mask: torch.Tensor, x: torch.Tensor, axis: int) -> None:
    axes = tuple(x.shape[axis : axis + mask.ndim])
    if tuple(mask.shape) != axes:
        raise IndexError(f"a mask of shape {tuple(mask.shape)} is no index of axes of shape {axes}")
