"""The parts that the three autograd functions share: how they are applied, what they save, and
how their derivatives answer PyTorch.

Planned    planned     most calls: tensors and numbers by position, one tensor as the value
ByTorch    by_torch    all other calls whose rule runs on tensors
ByNumPy    by_numpy    all other calls whose rule needs NumPy's arrays
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch.autograd import forward_ad

from chainrules_py.engines import with_items_at
from chainrules_torch.compiling import uncompiled
from chainrules_torch.conversion import is_differentiable, is_tensor
from chainrules_torch.older_batches import by_vmap, is_older_batch

transforming = torch._C._are_functorch_transforms_active


def is_differentiated() -> bool:
    """Tell whether PyTorch may differentiate what is computed now, a backward pass, say.

    In forward mode it does so without a graph: what runs outside of its sight has no tangent there.
    """
    return bool(torch.is_grad_enabled() or transforming() or forward_ad._current_level >= 0)


@cache
def plain_apply(function: type[torch.autograd.Function]) -> Callable[..., Any]:
    """Return the `apply` of a function for where no transformation of `torch.func` is active.

    PyTorch's own asks about transformations, and inspects the signature of `forward`, on each call:
    a quarter of the time of a small one.
    """
    base: Any = super(torch.autograd.Function, function)
    apply: Callable[..., Any] = base.apply
    return apply


class OfCall(torch.autograd.Function):  # type: ignore[misc]
    """The function of a call, its first input, on the other ones."""

    @staticmethod
    @uncompiled
    def setup_context(ctx, inputs: tuple[Any, ...], output: tuple[Any, ...]) -> None:
        """Save inputs and results for both derivatives, and declare which results have none.

        The results are saved for PyTorch to refuse derivatives after one of them was written in
        place; derivatives of these are derivatives of the whole.
        """
        ctx.call, *given = inputs
        ctx.set_materialize_grads(False)
        ctx.results = len(output)
        ctx.mark_non_differentiable(*(y for y in output if not is_differentiable(y)))
        tensors = list(filter(is_tensor, given))
        ctx.constants = [None if is_tensor(x) else x for x in given]
        ctx.save_for_backward(*tensors, *output)
        ctx.save_for_forward(*tensors, *output)


def saved(ctx) -> tuple[list[Any], Sequence[torch.Tensor]]:
    """Return the inputs and results that were saved; PyTorch raises if one was changed since."""
    tensors = ctx.saved_tensors
    count = len(tensors) - ctx.results
    of_inputs = map(alive, tensors[:count])
    inputs = [next(of_inputs) if constant is None else constant for constant in ctx.constants]
    return inputs, tensors[count:]


def cotangents_of(ctx, bars: Sequence[Any], pull: Callable[..., Sequence[Any]]) -> tuple[Any, ...]:
    """Return what a `backward` answers: one cotangent per input after the first, None for zeros.

    `pull(inputs, results, needed, bars)` computes those of the inputs that are needed.
    """
    if any(map(is_older_batch, bars)):
        return by_vmap(lambda *shown: cotangents_of(ctx, shown, pull), bars)
    inputs, results = saved(ctx)
    is_needed = ctx.needs_input_grad[1:]
    needed = [k for k, x in enumerate(inputs) if is_needed[k] and is_differentiable(x)]
    found: list[Any] = [None] * len(inputs)
    if needed and any(bar is not None for bar in bars):
        found = with_items_at(found, needed, pull(inputs, results, needed, bars))
    return (None, *found)


def tangents_of(ctx, dots: Sequence[Any], push: Callable[..., Sequence[Any]]) -> tuple[Any, ...]:
    """Return what a `jvp` answers: one tangent per result, None for one that has no derivative.

    `push(inputs, results, moved, dots)` computes those of the differentiable results, from the
    tangents of the inputs that have some, whose positions are `moved`.
    """
    if any(map(is_older_batch, dots)):
        return by_vmap(lambda *shown: tangents_of(ctx, shown, push), dots)
    inputs, results = saved(ctx)
    moved = [k for k, dot in enumerate(dots) if dot is not None]
    found = iter(push(inputs, results, moved, [dots[k] for k in moved]))
    return tuple([next(found) if is_differentiable(y) else None for y in results])


def alive(x) -> Any:
    """Take the wrappers of derivatives that have ended off a tensor.

    PyTorch's own operations see through several, and nothing else does.
    """
    if not is_tensor(x):
        return x
    inner = torch._C._functorch.unwrap_if_dead(x)  # pyright: ignore[reportAttributeAccessIssue]
    return x if inner is x else alive(inner)
