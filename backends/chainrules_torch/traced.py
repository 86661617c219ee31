"""The autograd function of a call whose rule runs on tensors: PyTorch sees every operation of it,
and batches it by itself.
"""

from collections.abc import Sequence
from typing import Any

import torch

from chainrules_torch.compiling import uncompiled
from chainrules_torch.conversion import is_differentiable
from chainrules_torch.functions import apply, inputs_of
from chainrules_torch.programs import Call
from chainrules_torch.tensor_rules import TensorCall, TensorPush


class Traced(torch.autograd.Function):  # type: ignore[misc]
    """The function of a call; `torch.func.vmap` runs the same operations on batches."""

    generate_vmap_rule = True

    @staticmethod
    @uncompiled
    def forward(call: TensorCall | TensorPush, *inputs: Any) -> tuple[Any, ...]:
        """The results; NumPy computes those that PyTorch cannot."""
        return values_of(call, inputs)

    @staticmethod
    @uncompiled
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, ...]) -> None:
        """Keep the arguments and the results; derivatives of these are derivatives of the whole."""
        call, *leaves = inputs
        ctx.set_materialize_grads(False)
        ctx.call, ctx.results = call, len(output)
        ctx.mark_non_differentiable(*(y for y in output if not is_differentiable(y)))
        tensors = [x for x in leaves if isinstance(x, torch.Tensor)]
        ctx.constants = [None if isinstance(x, torch.Tensor) else x for x in leaves]
        ctx.save_for_backward(*tensors, *output)
        ctx.save_for_forward(*tensors, *output)

    @staticmethod
    @uncompiled
    def backward(ctx: Any, *bars: Any) -> tuple[Any, ...]:
        """One cotangent per input, None where there is none."""
        inputs, results = inputs_of(ctx), ctx.saved_tensors[-ctx.results :]
        needed = [
            k for k, x in enumerate(inputs) if ctx.needs_input_grad[k + 1] and is_differentiable(x)
        ]
        found: dict[int, Any] = {}
        if needed and any(bar is not None for bar in bars):
            found = dict(zip(needed, ctx.call.pulled(inputs, results, needed, bars), strict=True))
        return (None, *(found.get(k) for k in range(len(inputs))))

    @staticmethod
    @uncompiled
    def jvp(ctx: Any, _: None, *dots: Any) -> Any:
        """One tangent per result, None for one that has no derivative."""
        inputs, results = inputs_of(ctx), ctx.saved_tensors[-ctx.results :]
        moved = [k for k, dot in enumerate(dots) if dot is not None]
        # A call of this function again, not operations: PyTorch would lose their tangents by an
        # outer derivative.
        push = TensorPush(ctx.call, len(inputs), len(results), moved)
        found = iter(Traced.apply(push, *inputs, *results, *(dots[k] for k in moved)))
        return tuple([next(found) if is_differentiable(y) else None for y in results])


def values_of(call: Any, inputs: Sequence[Any]) -> tuple[torch.Tensor, ...]:
    """The results of a call, none of which shares memory with an argument."""
    if call.is_native:
        given = [x for x in inputs if isinstance(x, torch.Tensor)]
        return tuple(
            [
                y.clone() if y._is_view() or any(y is x for x in given) else y
                for y in call.value(inputs)
            ]
        )
    program = Call(call.flat, frozenset())
    results = apply(program, *inputs)
    assert program.tree is not None, "the program has run"
    call.described(program.tree)
    return results
