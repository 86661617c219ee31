"""Other shapes of the same entries, and joining, splitting and repeating."""

import operator
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from chainrules_torch.arrays.promotion import torch_dtype
from chainrules_torch.arrays.tensor_array import TensorArray, alike, entries, tensor_of


def reshape(a: Any, shape: Any, order: str = "C", *, copy: bool | None = None) -> TensorArray:
    """The entries in another shape."""
    shape = (operator.index(shape),) if not isinstance(shape, tuple | list) else tuple(map(operator.index, shape))
    if order not in ("C", "A"):
        return transpose(reshape(transpose(a), shape[::-1]))
    return TensorArray(tensor_of(a).reshape(shape))


def ravel(a: Any, order: str = "C") -> TensorArray:
    """All entries along one axis."""
    return reshape(a, (-1,), order) if tensor_of(a).numel() else reshape(a, (0,))


def transpose(a: Any, axes: Any = None) -> TensorArray:
    """The axes in another order."""
    t = tensor_of(a)
    return TensorArray(t.permute(tuple(reversed(range(t.ndim)) if axes is None else axes)))


def swapaxes(a: Any, axis1: int, axis2: int) -> TensorArray:
    """Two axes exchanged."""
    return TensorArray(torch.swapaxes(tensor_of(a), axis1, axis2))


def moveaxis(a: Any, source: Any, destination: Any) -> TensorArray:
    """Axes at other places."""
    return TensorArray(torch.movedim(tensor_of(a), source, destination))


def rollaxis(a: Any, axis: int, start: int = 0) -> TensorArray:
    """An axis moved before another."""
    axis = normalize_axis_index(axis, tensor_of(a).ndim)
    start += tensor_of(a).ndim if start < 0 else 0
    return moveaxis(a, axis, start - (axis < start))


def expand_dims(a: Any, axis: Any) -> TensorArray:
    """New axes of length one."""
    t = tensor_of(a)
    axes = (axis,) if not isinstance(axis, tuple | list) else tuple(axis)
    if len(axes) == 1:
        return TensorArray(t.unsqueeze(axes[0]))
    places = normalize_axis_tuple(axes, t.ndim + len(axes))
    lengths = iter(t.shape)
    return TensorArray(t.reshape([1 if k in places else next(lengths) for k in range(t.ndim + len(axes))]))


def squeeze(a: Any, axis: Any = None) -> TensorArray:
    """Without axes of length one."""
    t = tensor_of(a)
    if axis is None:
        return TensorArray(torch.squeeze(t))
    axes = normalize_axis_tuple(axis, t.ndim)
    if any(t.shape[k] != 1 for k in axes):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return TensorArray(torch.squeeze(t, axes))


def broadcast_to(array: Any, shape: Any) -> TensorArray:
    """Repeated along axes, without a copy."""
    return TensorArray(torch.broadcast_to(tensor_of(array), (shape,) if isinstance(shape, int) else tuple(shape)))


def broadcast_arrays(*args: Any) -> tuple[TensorArray, ...]:
    """Arrays in their common shape."""
    return tuple(map(TensorArray, torch.broadcast_tensors(*map(tensor_of, args))))


def flip(m: Any, axis: Any = None) -> TensorArray:
    """Entries in reverse order along axes."""
    t = tensor_of(m)
    return TensorArray(torch.flip(t, tuple(range(t.ndim)) if axis is None else normalize_axis_tuple(axis, t.ndim)))


def roll(a: Any, shift: Any, axis: Any = None) -> TensorArray:
    """Entries shifted in a circle."""
    if axis is None:
        return TensorArray(torch.roll(tensor_of(a), int(np.sum(shift))))
    shifts, axes = np.broadcast_arrays(shift, axis)
    return TensorArray(torch.roll(tensor_of(a), shifts.ravel().tolist(), axes.ravel().tolist()))


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> TensorArray:
    """A plane turned."""
    return TensorArray(torch.rot90(tensor_of(m), k, tuple(axes)))


def with_axes(count: int) -> Callable[..., Any]:
    """`atleast_1d` and its kin."""
    function = {1: torch.atleast_1d, 2: torch.atleast_2d, 3: torch.atleast_3d}[count]

    def compute(*arrays: Any) -> Any:
        found = tuple(TensorArray(function(tensor_of(x))) for x in arrays)
        return found[0] if len(found) == 1 else found

    return compute


def concatenate(arrays: Sequence[Any], axis: int | None = 0, *, dtype: Any = None, casting: str = "same_kind") -> TensorArray:
    """Arrays one after the other."""
    parts = alike(*map(tensor_of, arrays))
    parts = [x.reshape(-1) for x in parts] if axis is None else parts
    found = torch.cat(parts, 0 if axis is None else axis)
    return TensorArray(found if dtype is None else found.to(torch_dtype(dtype)))


def stack(arrays: Sequence[Any], axis: int = 0, *, dtype: Any = None, casting: str = "same_kind") -> TensorArray:
    """Arrays along a new axis."""
    found = torch.stack(alike(*map(tensor_of, arrays)), axis)
    return TensorArray(found if dtype is None else found.to(torch_dtype(dtype)))


def joined_by(function: Callable[..., Any]) -> Callable[..., Any]:
    """`hstack` and its kin."""

    def compute(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> TensorArray:
        found = function(alike(*map(tensor_of, tup)))
        return TensorArray(found if dtype is None else found.to(torch_dtype(dtype)))

    return compute


def append(arr: Any, values: Any, axis: int | None = None) -> TensorArray:
    """Values after an array."""
    return concatenate((arr, values), axis)


def parts_of(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[TensorArray]:
    """An array in parts, which need not be of one size."""
    sections = indices_or_sections
    bounds = np.array_split(np.arange(tensor_of(ary).shape[axis]), sections if isinstance(sections, int) else list(sections))
    lead = (slice(None),) * normalize_axis_index(axis, tensor_of(ary).ndim)
    if not isinstance(sections, int):
        edges = [None, *map(int, sections), None]
        return [TensorArray(entries(tensor_of(ary), (*lead, slice(*pair)))) for pair in pairwise(edges)]
    starts = np.cumsum([0, *map(len, bounds)]).tolist()
    return [TensorArray(entries(tensor_of(ary), (*lead, slice(*pair)))) for pair in pairwise(starts)]


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[TensorArray]:
    """An array in parts of one size, or at indices."""
    if isinstance(indices_or_sections, int) and tensor_of(ary).shape[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    return parts_of(ary, indices_or_sections, axis)


def split_along(axis: int) -> Callable[..., Any]:
    """`hsplit` and its kin."""

    def compute(ary: Any, indices_or_sections: Any) -> list[TensorArray]:
        return split(ary, indices_or_sections, 0 if axis == 1 and tensor_of(ary).ndim == 1 else axis)

    return compute


def unstack(x: Any, /, *, axis: int = 0) -> tuple[TensorArray, ...]:
    """The slices along an axis."""
    return tuple(map(TensorArray, tensor_of(x).unbind(axis)))


def tile(A: Any, reps: Any) -> TensorArray:
    """An array repeated as a whole."""
    return TensorArray(torch.tile(tensor_of(A), (reps,) if isinstance(reps, int) else tuple(map(int, reps))))


def repeat(a: Any, repeats: Any, axis: int | None = None) -> TensorArray:
    """Each entry several times."""
    counts = np.asarray(repeats)
    t = tensor_of(a).reshape(-1) if axis is None else tensor_of(a)
    where = np.repeat(np.arange(t.shape[axis or 0]), counts if counts.ndim == 0 or counts.size > 1 else int(counts[0]))
    return TensorArray(torch.index_select(t, axis or 0, torch.tensor(where)))


def diag(v: Any, k: int = 0) -> TensorArray:
    """A diagonal, read or made a matrix of."""
    return TensorArray(torch.diag_embed(tensor_of(v), k) if tensor_of(v).ndim == 1 else torch.diagonal(tensor_of(v), k))


def diagflat(v: Any, k: int = 0) -> TensorArray:
    """A matrix with these entries on a diagonal."""
    return TensorArray(torch.diag_embed(tensor_of(v).reshape(-1), k))


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> TensorArray:
    """The entries on a diagonal."""
    return TensorArray(torch.diagonal(tensor_of(a), offset, axis1, axis2))


def linalg_diagonal(x: Any, /, *, offset: int = 0) -> TensorArray:
    """The diagonals of matrices."""
    return diagonal(x, offset, -2, -1)


def triangle(function: Callable[..., Any]) -> Callable[..., Any]:
    """`tril` or `triu`."""

    def compute(m: Any, k: int = 0) -> TensorArray:
        t = tensor_of(m)
        return TensorArray(function(t.expand(t.shape[0], t.shape[0]) if t.ndim == 1 else t, k))

    return compute


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[TensorArray, ...]:
    """The coordinates of a grid."""
    vectors = [tensor_of(x).reshape(-1) for x in xi]
    order = [1, 0, *range(2, len(vectors))] if indexing == "xy" and len(vectors) > 1 else list(range(len(vectors)))
    placed = [x.reshape([-1 if order[k] == n else 1 for k in range(len(vectors))]) for n, x in enumerate(vectors)]
    return tuple(map(TensorArray, placed if sparse else (torch.broadcast_tensors(*placed) if placed else ())))


def pad(array: Any, pad_width: Any, mode: str = "constant", **options: Any) -> TensorArray:
    """More entries around an array: constants, or entries that are chosen by the same padding of their positions."""
    t = tensor_of(array)
    if mode in ("reflect", "symmetric", "wrap", "edge") and options.get("reflect_type", "even") == "even":
        widths = np.broadcast_to(np.asarray(pad_width), (t.ndim, 2)) if not isinstance(pad_width, dict) else None
        if widths is None:
            raise TypeError("pad_width is a dict")
        for axis, width in enumerate(widths):
            positions = np.pad(np.arange(t.shape[axis]), width, mode=mode)  # type: ignore[call-overload]
            t = torch.index_select(t, axis, torch.tensor(positions))
        return TensorArray(t)
    if mode != "constant" or isinstance(pad_width, dict):
        raise TypeError(f"pad with mode {mode!r}")
    widths = np.broadcast_to(np.asarray(pad_width), (t.ndim, 2))
    values = options.get("constant_values", 0)
    if isinstance(values, TensorArray) or np.ndim(values):
        raise TypeError("pad with several constants")
    if isinstance(values, complex) and not t.is_complex():
        raise TypeError("pad of a real array with a complex number")
    pad_constant: Any = torch.nn.functional.pad
    return TensorArray(pad_constant(t, widths[::-1].ravel().tolist(), value=values))


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> TensorArray:
    """The sum of a diagonal."""
    found = torch.diagonal(tensor_of(a), offset, axis1, axis2)
    return TensorArray(torch.sum(found, -1, dtype=None if dtype is None else torch_dtype(dtype)))


def linalg_trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> TensorArray:
    """The sums of the diagonals of matrices."""
    return trace(x, offset, -2, -1, dtype)


def resize(a: Any, new_shape: Any) -> TensorArray:
    """The entries again and again until a shape is full."""
    t = tensor_of(a).reshape(-1)
    count = int(np.prod(new_shape))
    return TensorArray(t[torch.arange(count) % t.numel()].reshape(new_shape) if t.numel() else t.new_zeros(new_shape))


def copy(a: Any, order: str = "K") -> TensorArray:
    """The array itself: nobody can write it."""
    return TensorArray(tensor_of(a))


def block(arrays: Any) -> TensorArray:
    """An array from nested lists of blocks."""
    depth = _depth(arrays)
    return _joined(arrays, depth, max([depth, *_dimensions(arrays)]))


def _depth(arrays: Any) -> int:
    return 1 + _depth(arrays[0]) if isinstance(arrays, list) else 0


def _dimensions(arrays: Any) -> list[int]:
    return [n for part in arrays for n in _dimensions(part)] if isinstance(arrays, list) else [tensor_of(arrays).ndim]


def _joined(arrays: Any, depth: int, ndim: int) -> TensorArray:
    if isinstance(arrays, list):
        return concatenate([_joined(part, depth - 1, ndim) for part in arrays], -depth)
    t = tensor_of(arrays)
    return TensorArray(t.reshape((1,) * (ndim - t.ndim) + tuple(t.shape)))


def ndim(a: Any) -> int:
    """The number of axes."""
    return int(tensor_of(a).ndim)


def shape(a: Any) -> tuple[int, ...]:
    """The length of each axis."""
    return tuple(tensor_of(a).shape)


def size(a: Any, axis: Any = None) -> int:
    """The number of entries."""
    lengths = shape(a)
    return int(np.prod(lengths if axis is None else [lengths[k] for k in normalize_axis_tuple(axis, len(lengths))], dtype=int))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        *(reshape, ravel, transpose, swapaxes, moveaxis, rollaxis, expand_dims, squeeze, broadcast_to, broadcast_arrays, flip),
        *(
            roll,
            rot90,
            concatenate,
            stack,
            append,
            split,
            unstack,
            tile,
            repeat,
            diag,
            diagflat,
            diagonal,
            meshgrid,
            pad,
            trace,
        ),
        *(resize, copy, block, ndim, shape, size),
    )
}
FUNCTIONS |= {
    "permute_dims": transpose,
    "concat": concatenate,
    "array_split": parts_of,
    "matrix_transpose": lambda x: TensorArray(tensor_of(x).mT),
    "fliplr": lambda m: flip(m, 1),
    "flipud": lambda m: flip(m, 0),
    "tril": triangle(torch.tril),
    "triu": triangle(torch.triu),
    **{f"atleast_{n}d": with_axes(n) for n in (1, 2, 3)},
    **{name: joined_by(getattr(torch, name)) for name in ("hstack", "vstack", "dstack", "column_stack")},
    "hsplit": split_along(1),
    "vsplit": split_along(0),
    "dsplit": split_along(2),
}
LINALG = {"diagonal": linalg_diagonal, "trace": linalg_trace, "matrix_transpose": FUNCTIONS["matrix_transpose"]}
