"""What the autograd functions of this package share: how they are applied, and what they save.

Planned    planned     most calls: tensors and numbers by position, one tensor as the value
ByTorch    by_torch    all other calls whose rule runs on tensors
ByNumPy    by_numpy    all other calls whose rule needs NumPy's arrays
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch

from chainrules_torch.conversion import is_differentiable

transforming = torch._C._are_functorch_transforms_active


@cache
def plain_apply(function: type[torch.autograd.Function]) -> Callable[..., Any]:
    """Return the `apply` of a function for where no transformation of `torch.func` is active.

    PyTorch's own asks about transformations, and inspects the signature of `forward`, on each call:
    a quarter of the time of a small one.
    """
    base: Any = super(torch.autograd.Function, function)
    apply: Callable[..., Any] = base.apply
    return apply


def save(ctx: Any, inputs: Sequence[Any], results: Sequence[torch.Tensor]) -> None:
    """Save inputs and results for both derivatives, and declare which results have none.

    The results are saved for PyTorch to refuse derivatives after one of them was written in place.
    """
    ctx.set_materialize_grads(False)
    ctx.results = len(results)
    ctx.mark_non_differentiable(*(y for y in results if not is_differentiable(y)))
    tensors = [x for x in inputs if isinstance(x, torch.Tensor)]
    ctx.constants = [None if isinstance(x, torch.Tensor) else x for x in inputs]
    ctx.save_for_backward(*tensors, *results)
    ctx.save_for_forward(*tensors, *results)


def saved(ctx: Any) -> tuple[list[Any], Sequence[torch.Tensor]]:
    """Return the inputs and results that were saved; PyTorch raises if one was changed since."""
    tensors = ctx.saved_tensors
    count = len(tensors) - ctx.results
    of_inputs = map(alive, tensors[:count])
    inputs = [next(of_inputs) if constant is None else constant for constant in ctx.constants]
    return inputs, tensors[count:]


def needed_of(ctx: Any, inputs: Sequence[Any]) -> list[int]:
    """Return the positions of the inputs whose cotangents PyTorch asks for."""
    is_needed = ctx.needs_input_grad[1:]
    return [k for k, x in enumerate(inputs) if is_needed[k] and is_differentiable(x)]


def alive(x: Any) -> Any:
    """Take the wrappers of derivatives that have ended off a tensor.

    PyTorch's own operations see through several, and nothing else does.
    """
    if not isinstance(x, torch.Tensor):
        return x
    inner = torch._C._functorch.unwrap_if_dead(x)  # pyright: ignore[reportAttributeAccessIssue]
    return x if inner is x else alive(inner)
