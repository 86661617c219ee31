"""A batch of calls at once: without a loop where the primal works element by element, with one
otherwise.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from chainrules_py import NotDifferentiableError
from chainrules_torch.programs import Program

Apply = Callable[..., tuple[Any, ...]]


def batched(
    apply: Apply, program: Program, inputs: Sequence[Any], dims: Sequence[Any], size: int
) -> tuple[Any, Any]:
    """The results of a program for a batch of inputs, along their first axis, and that axis for
    each.
    """
    first = [x if dim is None else x.movedim(dim, 0) for x, dim in zip(inputs, dims, strict=True)]
    run = at_once if program.call.elementwise else one_by_one
    results = run(apply, program, first, [dim is not None for dim in dims], size)
    return results, (0,) * len(results)


def at_once(
    apply: Apply, program: Program, inputs: Sequence[Any], in_batch: Sequence[bool], size: int
) -> tuple[Any, ...]:
    """One call for the whole batch: each input gets as many axes as the one that has most, behind
    that of the batch.
    """
    shapes = [
        x.shape[batch:] if isinstance(x, torch.Tensor) else ()
        for x, batch in zip(inputs, in_batch, strict=True)
    ]
    rank = max(map(len, shapes))

    def aligned(x: Any, shape: Any, batch: bool) -> Any:
        if not isinstance(x, torch.Tensor):
            return x
        x = x.reshape(size if batch else 1, *(1,) * (rank - len(shape)), *shape)
        return x.expand(size, *x.shape[1:])

    results = apply(program, *map(aligned, inputs, shapes, in_batch))
    wanted = program.shapes(shapes)
    return (
        results
        if wanted is None
        else tuple(y.reshape(size, *shape) for y, shape in zip(results, wanted, strict=True))
    )


def one_by_one(
    apply: Apply, program: Program, inputs: Sequence[Any], in_batch: Sequence[bool], size: int
) -> tuple[Any, ...]:
    """One call for each entry of the batch."""
    if not size:
        got = "vmap over an empty batch, which says nothing about the shape of a result"
        raise NotDifferentiableError(
            repr(program.call),
            got,
            "pass a batch of one entry or more",
            primal=program.call.flat.primal,
        )
    entries = [
        apply(program, *(x[k] if batch else x for x, batch in zip(inputs, in_batch, strict=True)))
        for k in range(size)
    ]
    return tuple(map(torch.stack, zip(*entries, strict=True)))
