"""The two autograd functions through which PyTorch runs a program: forward, backward, jvp and vmap
of any of them.

    Transformed      has `setup_context`, which `torch.func` and its transformations want
    Eager            does both in `forward`, which costs half as much where none of them is active

Tensors become NumPy's arrays only in `forward`. What `backward` and `jvp` compute is another
program (`Pull`, `Push`), which PyTorch runs by the same functions, so that it can be differentiated
again; when nobody asks for that, a plain backward pass, `backward` computes at once, by the
pullback that `forward` kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from chainrules_torch.batches import batched
from chainrules_torch.compiling import uncompiled
from chainrules_torch.conversion import as_array, as_tensor, is_differentiable
from chainrules_torch.programs import Program, Pull, Push

Inputs = Sequence[Any]
transforming = torch._C._are_functorch_transforms_active


def apply(program: Program, *inputs: Any) -> tuple[Any, ...]:
    """The tensors that a program computes, known to PyTorch as a function of its inputs."""
    found: tuple[Any, ...] = (Transformed if transforming() else Eager).apply(program, *inputs)
    return found


def plain_apply(function: type[torch.autograd.Function]) -> Callable[..., Any]:
    """`apply` of a function in the older form, for where no transformation is active.

    PyTorch's own asks about transformations, and looks for `setup_context`, on each call: a quarter
    of the time of a small one.
    """
    base: Any = super(torch.autograd.Function, function)
    run: Callable[..., Any] = base.apply
    return run


class Derivatives:
    """What both functions have in common: all but how `forward` leaves its context."""

    @staticmethod
    @uncompiled
    def backward(ctx: Any, *bars: Any) -> tuple[Any, ...]:
        """One cotangent per input, None for zeros."""
        inputs = inputs_of(ctx)
        needed = [
            k
            for k, x in enumerate(inputs)
            if ctx.needs_input_grad[k + 1] and isinstance(x, torch.Tensor)
        ]
        present = [k for k, bar in enumerate(bars) if bar is not None]
        found: dict[int, Any] = {}
        if needed and present:
            pull = Pull(ctx.program, len(inputs), needed, present, len(bars))
            operands = (*inputs, *(bars[k] for k in present))
            tensors = apply(pull, *operands) if torch.is_grad_enabled() else run(pull, operands)
            found = dict(zip(needed, tensors, strict=True))
        return (None, *(found.get(k) for k in range(len(inputs))))

    @staticmethod
    @uncompiled
    def jvp(ctx: Any, _: None, *dots: Any) -> Any:
        """One tangent per result, None for one that has no derivative."""
        inputs = inputs_of(ctx)
        moved = [k for k, dot in enumerate(dots) if dot is not None]
        push = Push(ctx.program, len(inputs), moved, ctx.differentiable)
        found = dict(
            zip(ctx.differentiable, apply(push, *inputs, *(dots[k] for k in moved)), strict=True)
        )
        return tuple(found.get(k) for k in range(ctx.results))

    @staticmethod
    @uncompiled
    def vmap(info: Any, in_dims: Sequence[Any], program: Program, *inputs: Any) -> tuple[Any, Any]:
        """The results for a batch, and where the batch is in them."""
        return batched(apply, program, inputs, in_dims[1:], info.batch_size)


class Transformed(Derivatives, torch.autograd.Function):  # type: ignore[misc]
    """The function of a program that `torch.func` may transform."""

    @staticmethod
    @uncompiled
    def forward(program: Program, *inputs: Any) -> tuple[Any, ...]:
        """The tensors that the program computes."""
        return run(program, inputs)

    @staticmethod
    @uncompiled
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, ...]) -> None:
        """Keep what the derivatives need."""
        keep(ctx, inputs[0], inputs[1:], output)


class Eager(Derivatives, torch.autograd.Function):  # type: ignore[misc]
    """The function of a program where no transformation of `torch.func` is active."""

    @staticmethod
    @uncompiled
    def forward(ctx: Any, program: Program, *inputs: Any) -> tuple[Any, ...]:
        """The tensors that the program computes."""
        results = run(program, inputs)
        keep(ctx, program, inputs, results)
        return results


def keep(ctx: Any, program: Program, inputs: Inputs, results: tuple[Any, ...]) -> None:
    """Save what the derivatives need; the results, too, so that PyTorch refuses derivatives after
    they were written.
    """
    ctx.set_materialize_grads(False)
    ctx.program, ctx.results = program, len(results)
    ctx.differentiable = [k for k, y in enumerate(results) if is_differentiable(y)]
    if len(ctx.differentiable) < len(results):
        ctx.mark_non_differentiable(*(y for y in results if not is_differentiable(y)))
    tensors = [x for x in inputs if isinstance(x, torch.Tensor)]
    ctx.constants = [None if isinstance(x, torch.Tensor) else x for x in inputs]
    ctx.save_for_backward(*tensors, *results)
    ctx.save_for_forward(*tensors, *results)


def inputs_of(ctx: Any) -> list[Any]:
    """The inputs of a program's run, unchanged since, or PyTorch's error."""
    saved = map(alive, ctx.saved_tensors)
    return [next(saved) if constant is None else constant for constant in ctx.constants]


def alive(x: Any) -> Any:
    """A tensor without the wrappers of derivatives that have ended: only PyTorch's own operations
    see through several.
    """
    if not isinstance(x, torch.Tensor):
        return x
    inner = torch._C._functorch.unwrap_if_dead(x)  # pyright: ignore[reportAttributeAccessIssue]
    return x if inner is x else alive(inner)


def run(program: Program, inputs: Inputs) -> tuple[Any, ...]:
    """The results of a program as tensors, computed by NumPy."""
    arrays = program.numbers(list(map(as_array, inputs)))
    memory = Memory.of(inputs[: program.leaves] if isinstance(program, Pull) else inputs)
    found = program.value(arrays, memory)
    likes = (
        [inputs[k] for k in program.needed]
        if isinstance(program, Pull)
        else [first(inputs)] * len(found)
    )
    given, results = list(arrays), []
    for y, like in zip(found, likes, strict=True):
        results.append(as_tensor(y, like, given, program.call))
        given.append(y)
    return tuple(results)


def first(inputs: Inputs) -> torch.Tensor | None:
    """The first tensor among the inputs, on whose device results are."""
    return next((x for x in inputs if isinstance(x, torch.Tensor)), None)


@dataclass(frozen=True)
class Memory:
    """Where the entries of inputs are and how often they were written; holding the tensors keeps
    others from that memory.
    """

    places: list[Any]
    tensors: list[torch.Tensor] = field(compare=False)

    @classmethod
    def of(cls, inputs: Inputs) -> "Memory":
        """The memory of inputs; numbers count by value."""
        tensors = [x.detach() for x in inputs if isinstance(x, torch.Tensor)]
        return cls([place(x) if isinstance(x, torch.Tensor) else x for x in inputs], tensors)


def place(x: torch.Tensor) -> tuple[Any, ...]:
    """The address of a tensor's entries, their layout, and how often they were written in place."""
    return (x.data_ptr(), x.dtype, x.shape, x.stride(), 0 if x.is_inference() else x._version)
