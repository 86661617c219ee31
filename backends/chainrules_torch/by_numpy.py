"""The autograd function of calls that NumPy computes.

`run_by_numpy` computes the results of a program as tensors. `backward` and `jvp` are programs of their own,
which go through the same function, so that PyTorch can differentiate them again. In a plain
backward pass nobody asks for that, and `backward` runs the pullback at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from chainrules_py.engines import InLanes, Program, Pullback, Pushforward
from chainrules_torch.compiling import uncompiled
from chainrules_torch.conversion import array_of_tensor, as_tensor, is_differentiable, is_tensor
from chainrules_torch.functions import (
    OfCall,
    alive,
    cotangents_of,
    is_differentiated,
    plain_apply,
    tangents_of,
    transforming,
)

Inputs = Sequence[Any]


class ByNumPy(OfCall):
    """The function of a program, which `torch.func` may transform."""

    @staticmethod
    @uncompiled
    def forward(program: Program, *inputs) -> tuple[Any, ...]:
        """Compute the results."""
        return run_by_numpy(program, inputs)

    @staticmethod
    @uncompiled
    def backward(ctx, *bars) -> tuple[Any, ...]:
        """Return one cotangent per input, None for zeros."""

        def pull(inputs: Inputs, _: Inputs, needed: list[int], bars: Inputs) -> tuple[Any, ...]:
            present = [k for k, bar in enumerate(bars) if bar is not None]
            pullback = Pullback(ctx.call, len(inputs), tuple(needed), tuple(present))
            operands = (*inputs, *(bars[k] for k in present))
            return (
                apply(pullback, *operands)
                if is_differentiated()
                else run_by_numpy(pullback, operands)
            )

        return cotangents_of(ctx, bars, pull)

    @staticmethod
    @uncompiled
    def jvp(ctx, _: None, *dots) -> Any:
        """Return one tangent per result, None for one that has no derivative."""

        def push(inputs: Inputs, results: Inputs, moved: list[int], dots: Inputs):
            wanted = tuple([k for k, y in enumerate(results) if is_differentiable(y)])
            pushforward = Pushforward(ctx.call, len(inputs), tuple(moved), wanted)
            return apply(pushforward, *inputs, *dots)

        return tangents_of(ctx, dots, push)

    @staticmethod
    @uncompiled
    def vmap(info, in_dims: Sequence[Any], program: Program, *inputs) -> tuple[Any, Any]:
        """Return the results for a batch, and where the batch is in them."""
        return batched(apply, program, inputs, in_dims[1:])


def apply(program: Program, *inputs) -> tuple[Any, ...]:
    """Compute the results of a program as tensors that PyTorch knows as a function of the inputs."""
    apply_function = ByNumPy.apply if transforming() else plain_apply(ByNumPy)
    found: tuple[Any, ...] = apply_function(program, *map(alive, inputs))
    return found


def run_by_numpy(program: Program, inputs: Inputs) -> tuple[Any, ...]:
    """Compute the results of a program by NumPy, as tensors."""
    arrays = program.numbers(list(map(array_of_tensor, inputs)))
    leaves = inputs[: program.count] if isinstance(program, Pullback) else inputs
    found = program.compute(arrays, Memory.of(leaves))
    own = program.of if isinstance(program, InLanes) else program
    likes = [first(inputs)] * len(found)
    if isinstance(own, Pullback):
        likes = [inputs[k] for k in own.needed]

    given, results = list(arrays), []
    for y, like in zip(found, likes, strict=True):
        results.append(as_tensor(y, like, given, program.call))
        given.append(y)
    return tuple(results)


def first(inputs: Inputs) -> torch.Tensor | None:
    """Return the first tensor among the inputs, on whose device results are."""
    return next(filter(is_tensor, inputs), None)


@dataclass(frozen=True)
class Memory:
    """Where the entries of inputs are, and how often they were written.

    It holds the tensors, so that no others get that memory meanwhile.
    """

    places: list[Any]
    tensors: list[torch.Tensor] = field(compare=False)

    @classmethod
    def of(cls, inputs: Inputs) -> "Memory":
        """Describe the memory of inputs, in which numbers count by value."""
        tensors = [x.detach() for x in inputs if is_tensor(x)]
        return cls([place_of_tensor(x) if is_tensor(x) else x for x in inputs], tensors)


def place_of_tensor(x: torch.Tensor) -> tuple[Any, ...]:
    """Return the address of a tensor's entries, their layout, and the number of writes to them."""
    writes = 0 if x.is_inference() else x._version
    return (x.data_ptr(), x.dtype, x.shape, x.stride(), writes)


Apply = Callable[..., tuple[Any, ...]]


def batched(
    apply: Apply, program: Program, inputs: Sequence[Any], dims: Sequence[Any]
) -> tuple[Any, Any]:
    """Return the results for a batch of inputs, along their first axis, and that axis for each."""
    lanes = tuple([dim is not None for dim in dims])
    moved = [x if dim is None else x.movedim(dim, 0) for x, dim in zip(inputs, dims, strict=True)]
    results = apply(InLanes(program, lanes), *moved)
    return results, (0,) * len(results)
