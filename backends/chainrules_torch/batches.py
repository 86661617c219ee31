"""A batch of calls at once, by the rules for batching of what a program calls."""

from collections.abc import Callable, Sequence
from typing import Any

from chainrules_torch.programs import Program

Apply = Callable[..., tuple[Any, ...]]


def batched(
    apply: Apply, program: Program, inputs: Sequence[Any], dims: Sequence[Any]
) -> tuple[Any, Any]:
    """Return the results for a batch of inputs, along their first axis, and that axis for each."""
    lanes = tuple([dim is not None for dim in dims])
    moved = [x if dim is None else x.movedim(dim, 0) for x, dim in zip(inputs, dims, strict=True)]
    results = apply(program.in_lanes(lanes), *moved)
    return results, (0,) * len(results)
