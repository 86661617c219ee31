"""A batch of calls at once: by one call where the primal works element by element, else by a loop."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from chainrules_py import NotDifferentiableError
from chainrules_torch.conversion import is_tensor
from chainrules_torch.programs import Program

Apply = Callable[..., tuple[Any, ...]]


def batched(
    apply: Apply, program: Program, inputs: Sequence[Any], dims: Sequence[Any], size: int
) -> tuple[Any, Any]:
    """Return the results for a batch of inputs, along their first axis, and that axis for each."""
    in_batch = [dim is not None for dim in dims]
    moved = [
        x.movedim(dim, 0) if b else x for x, dim, b in zip(inputs, dims, in_batch, strict=True)
    ]
    run = at_once if program.call.elementwise else one_by_one
    results = run(apply, program, moved, in_batch, size)
    return results, (0,) * len(results)


def at_once(
    apply: Apply, program: Program, inputs: Sequence[Any], in_batch: Sequence[bool], size: int
) -> tuple[Any, ...]:
    """Run one call for the whole batch.

    Behind the axis of the batch, each input gets as many axes as the one that has most.
    """

    def shape_of_entry(x: Any, batch: bool) -> Any:
        return x.shape[batch:] if is_tensor(x) else ()

    shapes = list(map(shape_of_entry, inputs, in_batch))
    rank = max(map(len, shapes))

    def aligned(x: Any, shape: Any, batch: bool) -> Any:
        if not is_tensor(x):
            return x
        new_axes = (1,) * (rank - len(shape))
        x = x.reshape(size if batch else 1, *new_axes, *shape)
        return x.expand(size, *x.shape[1:])

    results = apply(program, *map(aligned, inputs, shapes, in_batch))
    wanted = program.shapes(shapes)
    if wanted is None:
        return results
    return tuple(y.reshape(size, *shape) for y, shape in zip(results, wanted, strict=True))


def one_by_one(
    apply: Apply, program: Program, inputs: Sequence[Any], in_batch: Sequence[bool], size: int
) -> tuple[Any, ...]:
    """Run one call for each entry of the batch."""
    if not size:
        where, primal = repr(program.call), program.call.flat.primal
        got = "vmap over an empty batch, which says nothing about the shape of a result"
        raise NotDifferentiableError(where, got, "pass a batch of one entry or more", primal=primal)

    def entry(k: int) -> list[Any]:
        return [x[k] if batch else x for x, batch in zip(inputs, in_batch, strict=True)]

    entries = [apply(program, *entry(k)) for k in range(size)]
    return tuple(map(torch.stack, zip(*entries, strict=True)))
