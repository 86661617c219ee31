"""`from_torch`: functions and modules of PyTorch as primitives, differentiated by PyTorch in
programs of ours.

Arguments and values are NumPy's arrays, numbers, and containers of them, such as a dict of the
parameters of a module.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import torch

from chainrules_py import NO_TANGENT, ZERO, RuleTable, default_rules
from chainrules_py.engines import (
    FlatValue,
    ForeignFunction,
    foreign_primitive,
    qualified_name,
    with_items_at,
)
from chainrules_torch.conversion import as_fresh_tensor, as_shared_tensor, is_differentiable, plain


def from_torch(
    f: Callable[..., Any] | torch.nn.Module,
    *,
    rules: RuleTable = default_rules,
    device: torch.device | str | None = None,
) -> Callable[..., Any]:
    """A primitive on NumPy's arrays from a function of tensors, or from a module:
    ``primitive(parameters, *args)``.

    A module's parameters are a dict such as `parameters_of` returns; its buffers are constants, and
    are not changed. Make it once: its rules are registered with it. Tensors are made on `device`,
    by default that of the module's parameters, or the CPU.

    >>> import torch
    >>> from chainrules_tape import grad
    >>> grad(from_torch(lambda x: torch.sum(torch.sin(x) ** 2)))(np.array([0.0, 1.0])).round(4)
    array([0.    , 0.9093])
    """
    if isinstance(f, torch.nn.Module):
        own = next((parameter.device for parameter in cast(torch.nn.Module, f).parameters()), None)
        return foreign_primitive(
            TorchPrimal(module_function(f), f"from_torch({type(f).__name__})", device or own), rules
        )
    return foreign_primitive(TorchPrimal(f, f"from_torch({qualified_name(f)})", device), rules)


def parameters_of(module: torch.nn.Module) -> dict[str, np.ndarray]:
    """Return copies of a module's parameters by name; one that stands in several places has one
    name.
    """
    return {name: plain(parameter).numpy().copy() for name, parameter in module.named_parameters()}


def module_function(module: torch.nn.Module) -> Callable[..., Any]:
    """Turn a module into a function of its parameters and arguments, which leaves the module as it
    is.
    """

    def call_module(parameters: dict[str, torch.Tensor], *args) -> Any:
        buffers = {name: buffer.clone() for name, buffer in module.named_buffers()}
        return torch.func.functional_call(module, {**buffers, **parameters}, args)

    return call_module


class TorchPrimal(ForeignFunction):
    """A function of tensors, in any containers, that takes and gives NumPy's arrays."""

    def evaluate(self, *args) -> Any:
        """Return the value; PyTorch gets copies, since the function might write into them."""
        flat = FlatValue.of(args)
        with torch.no_grad():
            return in_numpy(self.function(*flat.with_leaves(self._copies(flat.leaves))))

    def vjp(self, *args) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """Return the value and the pullback; PyTorch gets the arrays themselves, since no function
        may write into what it differentiates by.
        """
        flat = FlatValue.of(args)
        leaves = [
            self._leaf(x) if is_differentiable(x) else as_fresh_tensor(x, self.how)
            for x in flat.leaves
        ]
        with torch.enable_grad():
            y = self.function(*flat.with_leaves(leaves))
        active = [x for x in leaves if is_differentiable(x)]
        outputs = FlatValue.of(y).leaves

        def pull(y_bar) -> tuple[Any, ...]:
            bars = self._copies(FlatValue.of(y_bar).leaves)
            pairs = [
                (out, bar.to(out))
                for out, bar in zip(outputs, bars, strict=True)
                if isinstance(out, torch.Tensor) and out.requires_grad
            ]
            found = iter(gradients(pairs, active))
            parts = [next(found) if is_differentiable(x) else NO_TANGENT for x in leaves]
            bars_of_args: tuple[Any, ...] = in_numpy(flat.with_leaves(parts))
            return bars_of_args

        return in_numpy(y), pull

    def jvp(self, args: tuple[Any, ...], dots: tuple[Any, ...]) -> tuple[Any, Any]:
        """Return the value and its tangent."""
        flat = FlatValue.of((dots, args))
        y, y_dot = pushed_tensors(self.function, *flat.with_leaves(self._copies(flat.leaves)))
        return in_numpy(y), in_numpy(y_dot)

    def pulled(self, y_bar, *args: Any) -> Any:
        """Return the cotangents of the arguments, in tensors that PyTorch can differentiate again."""
        f = OfActive(self.function, args)
        found: Any = torch.func.vjp(f, *f.of_arguments(f.flat.leaves), has_aux=True)
        bars = FlatValue.of(y_bar).leaves
        return f.filled(found[1]([bars[k] for k in f.moving]), [NO_TANGENT] * len(f.flat.leaves))

    def pushed(self, dots: tuple[Any, ...], *args: Any) -> Any:
        """Return the tangent of the value, in tensors that PyTorch can differentiate again."""
        return pushed_tensors(self.function, dots, args)[1]

    def _copies(self, leaves: Sequence[Any]) -> list[Any]:
        return [as_fresh_tensor(x, self.how) for x in leaves]

    def _leaf(self, x) -> torch.Tensor:
        tensor: torch.Tensor = as_shared_tensor(x, self.how)
        return tensor.requires_grad_()


class OfActive:
    """A function of the differentiable leaves of its arguments alone; it returns those of its
    value, and the other tensors apart.
    """

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.function, self.flat = function, FlatValue.of(args)
        self.places = [k for k, x in enumerate(self.flat.leaves) if is_differentiable(x)]

    def __call__(self, *values) -> tuple[list[Any], list[Any]]:
        """Return the differentiable leaves of the value, and the other tensors among its leaves."""
        self.y = FlatValue.of(self.function(*self.filled(values, self.flat.leaves)))
        leaves = self.y.leaves
        tensors = [k for k, y in enumerate(leaves) if isinstance(y, torch.Tensor)]
        self.moving = [k for k in tensors if is_differentiable(leaves[k])]
        self.fixed = [k for k in tensors if k not in self.moving]
        return [leaves[k] for k in self.moving], [leaves[k] for k in self.fixed]

    def of_arguments(self, leaves: Sequence[Any]) -> tuple[Any, ...]:
        """Choose from one item per leaf of the arguments those of the differentiable leaves."""
        return tuple(leaves[k] for k in self.places)

    def filled(self, values: Sequence[Any], others: Sequence[Any]) -> Any:
        """Build the arguments with other differentiable leaves."""
        return self.flat.with_leaves(with_items_at(others, self.places, values))

    def value(self, active: Sequence[Any], others: Sequence[Any]) -> Any:
        """Build a value like that of the function with these tensors; leaves that are no tensors
        stay.
        """
        places = [*self.moving, *self.fixed]
        return self.y.with_leaves(with_items_at(self.y.leaves, places, [*active, *others]))


def pushed_tensors(
    function: Callable[..., Any], dots: tuple[Any, ...], args: tuple[Any, ...]
) -> tuple[Any, Any]:
    """Return the value and its tangent, in tensors that PyTorch can differentiate again."""
    f = OfActive(function, args)
    points, moved = map(f.of_arguments, (f.flat.leaves, FlatValue.of(dots).leaves))
    found: Any
    try:
        found = torch.func.jvp(f, points, moved, has_aux=True)
        y, y_dot, others = found
    # an operation without forward mode: the pullback is linear, and has a pullback
    except (NotImplementedError, RuntimeError):
        found = torch.func.vjp(f, *points, has_aux=True)
        y, vjp, others = found
        y_dot = torch.func.vjp(vjp, list(map(torch.zeros_like, y)))[1](moved)[0]
    return f.value(y, others), f.value(y_dot, [NO_TANGENT] * len(others))


def gradients(
    pairs: list[tuple[torch.Tensor, torch.Tensor]], inputs: list[torch.Tensor]
) -> list[Any]:
    """Return the cotangents of the inputs from pairs of a result and its cotangent; ZERO for an
    input that no result depends on.
    """
    if not pairs or not inputs:
        return [ZERO] * len(inputs)
    results, bars = zip(*pairs, strict=True)
    found = torch.autograd.grad(results, inputs, bars, retain_graph=True, allow_unused=True)
    return [ZERO if bar is None else bar for bar in found]


def in_numpy(y) -> Any:
    """Copy the tensors in a value to arrays: the function may hold them, or be given them again."""
    flat = FlatValue.of(y)

    def converted(leaf):
        return np.array(plain(leaf).numpy()) if isinstance(leaf, torch.Tensor) else leaf

    return flat.with_leaves(list(map(converted, flat.leaves)))
