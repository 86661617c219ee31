"""Arrays joined, split, repeated and padded."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index

from chainrules_torch.arrays.promotion import torch_dtype
from chainrules_torch.arrays.tensor_array import TensorArray, alike, entries, tensor_of


def concatenate(
    arrays: Sequence[Any], axis: int | None = 0, *, dtype: Any = None, casting: str = "same_kind"
) -> TensorArray:
    """Arrays one after the other."""
    parts = alike(*map(tensor_of, arrays))
    parts = [x.reshape(-1) for x in parts] if axis is None else parts
    if len({x.ndim for x in parts}) > 1:  # PyTorch leaves vectors without entries out
        raise ValueError("concatenate of arrays with other numbers of axes")
    found = torch.cat(parts, 0 if axis is None else axis)
    return TensorArray(found if dtype is None else found.to(torch_dtype(dtype)))


def stack(
    arrays: Sequence[Any], axis: int = 0, *, dtype: Any = None, casting: str = "same_kind"
) -> TensorArray:
    """Arrays along a new axis."""
    found = torch.stack(alike(*map(tensor_of, arrays)), axis)
    return TensorArray(found if dtype is None else found.to(torch_dtype(dtype)))


def parts_of(ary, indices_or_sections, axis: int = 0) -> list[TensorArray]:
    """An array in parts, which need not be of one size."""
    sections = indices_or_sections
    bounds = np.array_split(
        np.arange(tensor_of(ary).shape[axis]),
        sections if isinstance(sections, int) else list(sections),
    )
    lead = (slice(None),) * normalize_axis_index(axis, tensor_of(ary).ndim)
    if not isinstance(sections, int):
        edges = [None, *map(int, sections), None]
        return [
            TensorArray(entries(tensor_of(ary), (*lead, slice(*pair)))) for pair in pairwise(edges)
        ]
    starts = np.cumsum([0, *map(len, bounds)]).tolist()
    return [
        TensorArray(entries(tensor_of(ary), (*lead, slice(*pair)))) for pair in pairwise(starts)
    ]


def split(ary, indices_or_sections, axis: int = 0) -> list[TensorArray]:
    """An array in parts of one size, or at indices."""
    if isinstance(indices_or_sections, int) and tensor_of(ary).shape[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    return parts_of(ary, indices_or_sections, axis)


def unstack(x, /, *, axis: int = 0) -> tuple[TensorArray, ...]:
    """The slices along an axis."""
    return tuple(map(TensorArray, tensor_of(x).unbind(axis)))


def repeat(a, repeats, axis: int | None = None) -> TensorArray:
    """Each entry several times."""
    counts = np.asarray(repeats)
    t = tensor_of(a).reshape(-1) if axis is None else tensor_of(a)
    where = np.repeat(
        np.arange(t.shape[axis or 0]),
        counts if counts.ndim == 0 or counts.size > 1 else int(counts[0]),
    )
    return TensorArray(torch.index_select(t, axis or 0, torch.tensor(where, device=t.device)))


CHOOSING = ("reflect", "symmetric", "wrap", "edge")  # modes of `pad` that copy entries


def pad(array, pad_width, mode: str = "constant", **options) -> TensorArray:
    """More entries around an array: constants, or entries that are chosen by the same padding of
    their positions.
    """
    t = tensor_of(array)
    if isinstance(pad_width, dict):
        raise TypeError(f"pad with mode {mode!r}, and widths in a dict")
    widths = np.broadcast_to(np.asarray(pad_width), (t.ndim, 2))
    if (widths < 0).any():
        raise ValueError("pad with negative widths")
    if mode in CHOOSING and options.get("reflect_type", "even") == "even":
        for axis, width in enumerate(widths):
            whole = np.arange(t.shape[axis])
            positions = np.pad(whole, width, mode=mode)  # type: ignore[call-overload]
            t = torch.index_select(t, axis, torch.tensor(positions, device=t.device))
        return TensorArray(t)

    if mode != "constant":
        raise TypeError(f"pad with mode {mode!r}")
    values = options.get("constant_values", 0)
    if isinstance(values, TensorArray) or np.ndim(values):
        raise TypeError("pad with several constants")
    if isinstance(values, complex) and not t.is_complex():
        raise TypeError("pad of a real array with a complex number")
    pad_constant: Any = torch.nn.functional.pad
    return TensorArray(pad_constant(t, widths[::-1].ravel().tolist(), value=values))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (concatenate, stack, split, unstack, repeat, pad)
}
FUNCTIONS |= {"concat": concatenate, "array_split": parts_of}
