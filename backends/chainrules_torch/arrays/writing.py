"""Writing entries of arrays that cannot be written: as a new array."""

import torch

from chainrules_array_api.standard_array import own_dtype
from chainrules_torch.arrays.tensor_array import (
    TensorArray,
    functions,
    tensor_entries,
    tensor_of,
    together,
)


def selected_positions(index, shape: tuple[int, ...]) -> torch.Tensor:
    """The positions in the flat array that an index selects; on the device where a part of it is."""
    index = index if isinstance(index, tuple) else (index,)
    count = torch.arange(torch.Size(shape).numel()).reshape(shape)
    tensors = [part.tensor for part in index if isinstance(part, TensorArray)]
    count, *_ = together(count, *tensors)
    return tensor_entries(count, index)


def scattered_sums(values, index, shape: tuple[int, ...], dtype) -> TensorArray:
    """Zeros of a shape and dtype with `values` added at `index`: `scatter_add` for tensors."""
    where = selected_positions(index, shape)
    t = tensor_of(values, dtype).expand(where.shape)
    flat = torch.zeros(
        torch.Size(shape).numel(), dtype=own_dtype(functions, dtype), device=t.device
    )
    return TensorArray(
        flat.index_add(0, where.reshape(-1).to(t.device), t.reshape(-1)).reshape(shape)
    )


def set_at(a, index, values) -> TensorArray:
    """A copy of `a` with ``a[index] = values``: `replaced` for tensors."""
    t, new = together(tensor_of(a), tensor_of(values))
    where = selected_positions(index, tuple(t.shape)).to(t.device)
    new = new.to(t.dtype).expand(where.shape)
    return TensorArray(
        t.reshape(-1).index_put((where.reshape(-1),), new.reshape(-1)).reshape(t.shape)
    )
