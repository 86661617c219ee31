"""Whole NumPy programs in JAX and PyTorch: next to what a person writes for one program, who calls
our tape, too; and a batch in one call next to the calls one by one.

By hand, JAX gets a `custom_vjp` whose passes are callbacks, and PyTorch an autograd function that
keeps the pullback. Both call `vjp`, so what is compared is all that an adapter adds to it.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.measure import Run, paired_ratio, ratio, take_turns
from benchmarks.titles import titled

OPERATIONS = (10, 1000)
SIZE, EXAMPLES = 10, 256


def program_of(operations: int) -> Callable[[Any], Any]:
    """A program of NumPy's without a rule: it writes into a copy, and has about as many operations."""

    def program(x: Any) -> Any:
        y = x.copy()
        y[0] = 0.5
        for _ in range(operations // 2):
            y = np.sin(y) + 0.1
        return y

    return program


class InJax:
    """The compiled value and gradient in JAX."""

    params = (OPERATIONS,)
    param_names = ("operations",)

    def setup(self, operations: int) -> None:
        require("jax")

    @titled("program in JAX / custom vjp by hand", "ratio")
    def track_by_hand(self, operations: int) -> float:
        from chainrules_jax import to_jax

        program = program_of(operations)
        ours, by_hand = (gradient_in_jax(f) for f in (to_jax(program), custom_vjp(program)))
        return ratio(ours, by_hand)

    @titled("256 examples at once / 256 calls in JAX", "ratio")
    def track_batch(self, operations: int) -> float:
        import jax

        from chainrules_jax import to_jax

        called = to_jax(program_of(operations))
        gradient = jax.grad(lambda x: called(x).sum())
        at_once, one = jax.jit(jax.vmap(gradient)), jax.jit(gradient)
        rows = jax.numpy.asarray(examples())
        return batch_ratio(
            lambda: at_once(rows).block_until_ready(), lambda: one(rows[0]).block_until_ready()
        )


def gradient_in_jax(function: Callable[[Any], Any]) -> Run:
    """The compiled value and gradient of a function of JAX's, waited for."""
    import jax

    compiled = jax.jit(jax.value_and_grad(lambda x: function(x).sum()))
    x = jax.numpy.asarray(examples()[0])
    return lambda: jax.block_until_ready(compiled(x))


def custom_vjp(program: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A program as a person gives it to JAX: a callback for each pass."""
    import jax

    from chainrules_tape import vjp

    def called_back(function: Callable[..., Any], *args: Any) -> Any:
        like = jax.ShapeDtypeStruct(args[0].shape, args[0].dtype)
        return jax.pure_callback(function, like, *args, vmap_method="sequential")

    def computed(x: Any) -> Any:
        return program(np.asarray(x))

    def pulled_back(x: Any, y_bar: Any) -> Any:
        return vjp(program, np.asarray(x))[1](np.asarray(y_bar))[0]

    @jax.custom_vjp
    def function(x: Any) -> Any:
        return called_back(computed, x)

    function.defvjp(
        lambda x: (function(x), x), lambda x, y_bar: (called_back(pulled_back, x, y_bar),)
    )
    return function  # type: ignore[no-any-return]


class InTorch:
    """A value and a backward pass in PyTorch."""

    params = (OPERATIONS,)
    param_names = ("operations",)

    def setup(self, operations: int) -> None:
        require("torch")
        import torch

        torch.set_num_threads(1)

    @titled("program in PyTorch / function by hand", "ratio")
    def track_by_hand(self, operations: int) -> float:
        import torch

        from chainrules_torch import to_torch

        program = program_of(operations)
        ours, by_hand = (gradient_in_torch(f) for f in (to_torch(program), by_hand_of(program)))
        torch.testing.assert_close(ours(), by_hand())
        return ratio(ours, by_hand)

    @titled("256 examples / 256 calls in PyTorch", "ratio")
    def track_batch(self, operations: int) -> float:
        import torch

        from chainrules_torch import to_torch

        called = to_torch(program_of(operations))
        gradient = torch.func.grad(lambda x: called(x).sum())
        at_once = torch.func.vmap(gradient)
        rows = torch.tensor(examples())
        return batch_ratio(lambda: at_once(rows), lambda: gradient(rows[0]))


def gradient_in_torch(function: Callable[[Any], Any]) -> Run:
    """The value of a function of tensors, and a backward pass."""
    import torch

    x = torch.tensor(examples()[0], requires_grad=True)
    y_bar = torch.ones(SIZE, dtype=x.dtype)
    return lambda: torch.autograd.grad(function(x), x, y_bar)


def by_hand_of(program: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The autograd function that a person writes for one program."""
    import torch

    from chainrules_tape import vjp

    class ByHand(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y, ctx.pullback = vjp(program, x.detach().numpy())
            return torch.from_numpy(y)

        @staticmethod
        def backward(ctx: Any, y_bar: Any) -> Any:
            return torch.from_numpy(ctx.pullback(y_bar.numpy())[0])

    return ByHand.apply  # type: ignore[no-any-return]


def batch_ratio(at_once: Run, one: Run) -> float:
    """The time of a batch in units of as many single calls."""
    samples = take_turns({"at once": at_once, "one": one}, seconds=0.05, warm=True)
    return paired_ratio(samples["at once"], samples["one"]) / EXAMPLES


def examples() -> Any:
    """Points at which the programs are differentiated."""
    return np.random.default_rng(0).uniform(0.1, 1.0, (EXAMPLES, SIZE)).astype(np.float32)


def require(module: str) -> None:
    """Leave a benchmark out where its library is not installed."""
    if find_spec(module) is None:
        raise NotImplementedError(f"{module} is not installed")
