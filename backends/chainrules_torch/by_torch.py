"""The autograd function of calls whose rule runs on tensors.

PyTorch sees every operation of the rule, so that it differentiates and batches them by itself.
"""

from collections.abc import Sequence
from typing import Any

import torch

from chainrules_torch.by_numpy import apply
from chainrules_torch.compiling import uncompiled
from chainrules_torch.conversion import is_tensor
from chainrules_torch.functions import OfCall, cotangents_of, tangents_of
from chainrules_torch.programs import NumpyCall
from chainrules_torch.tensor_rules import TensorCall, TensorPush


class ByTorch(OfCall):
    """The function of a call; `torch.func.vmap` runs the same operations on batches."""

    generate_vmap_rule = True

    @staticmethod
    @uncompiled
    def forward(call: TensorCall | TensorPush, *inputs) -> tuple[Any, ...]:
        """Compute the results; NumPy computes those that PyTorch cannot."""
        return values_of(call, inputs)

    @staticmethod
    @uncompiled
    def backward(ctx, *bars) -> tuple[Any, ...]:
        """Return one cotangent per input, None where there is none."""
        return cotangents_of(ctx, bars, ctx.call.pulled)

    @staticmethod
    @uncompiled
    def jvp(ctx, _: None, *dots) -> Any:
        """Return one tangent per result, None for one that has no derivative."""

        def push(inputs, results, moved: list[int], dots):
            # A call of this function again, not operations: PyTorch calls `jvp` with forward mode
            # switched off, and would lose the tangents by an outer derivative.
            pushforward = TensorPush(ctx.call, len(inputs), len(results), moved)
            return ByTorch.apply(pushforward, *inputs, *results, *dots)

        return tangents_of(ctx, dots, push)


def values_of(call: TensorCall | TensorPush, inputs: Sequence[Any]) -> tuple[torch.Tensor, ...]:
    """Compute the results of a call, none of which shares memory with an argument."""
    if isinstance(call, TensorPush) or call.value_in_torch:
        given = list(filter(is_tensor, inputs))
        return tuple([own(y, given) for y in call.value(inputs)])

    return apply(NumpyCall(call.flat, shape=call.shape), *inputs)


def own(y: torch.Tensor, given: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return a copy of a result that is an argument or a view, and others as they are."""
    is_shared = y._is_view() or any(y is x for x in given)
    return y.clone() if is_shared else y
