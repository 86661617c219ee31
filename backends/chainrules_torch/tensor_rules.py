"""Calls of primals and their derivatives in operations of PyTorch's: rules run on tensors, as `TensorArray`s.

What is computed here PyTorch sees, so that it can batch it, compile it and differentiate it once more. A primal that PyTorch does
not have is called through `to_torch` again, also from inside of a rule; while its own rule runs, its value is known already.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any

import torch

from chainrules_py.config import HasForwardMode, HasReverseMode
from chainrules_py.engines import FlatCall, FlatValue
from chainrules_py.projection import ProjectTo
from chainrules_py.tangents import ZERO, is_zero, unthunk
from chainrules_py.tangents.plain_containers import as_tangent
from chainrules_torch.arrays.tensor_array import TensorArray, tensor_of
from chainrules_torch.foreign import OfActive
from chainrules_torch.programs import places_of


def wrapped(x: Any) -> Any:
    """A tensor as an array that behaves as NumPy's do; what is no tensor as it is."""
    return TensorArray(x) if isinstance(x, torch.Tensor) else x


def unwrapped(x: Any) -> Any:
    """The tensor in an array; what is none as it is."""
    return x.tensor if type(x) is TensorArray else x


def everywhere(function: Callable[[Any], Any], value: Any) -> Any:
    """A value with a function applied to what its containers hold."""
    flat = FlatValue.of(value)
    return flat.with_leaves(list(map(function, flat.leaves)))


class OnTensors(HasReverseMode, HasForwardMode):
    """Functions that rules call, differentiated by PyTorch."""

    def rrule_via_ad(self, function: Callable[..., Any], *args: Any, **options: Any) -> tuple[Any, Callable[..., Any]]:
        """The value of a function of arrays, and its pullback."""
        f = of_tensors(function, args, options)
        found: Any = torch.func.vjp(f, *f.of_arguments(f.flat.leaves), has_aux=True)
        ys, vjp, others = found

        def pullback(y_bar: Any) -> tuple[Any, ...]:
            bars = f.y.tangents(as_tangent(y_bar))
            seeds = [bar for bar, differs in zip(bars, f.differs, strict=True) if differs]
            found = f.filled(vjp([fitted(bar, y) for bar, y in zip(seeds, ys, strict=True)]), [ZERO] * len(f.flat.leaves))
            bars_of_args: tuple[Any, ...] = everywhere(wrapped, found)
            return bars_of_args

        return everywhere(wrapped, f.value(ys, others)), pullback

    def frule_via_ad(self, dots: tuple[Any, ...], function: Callable[..., Any], *args: Any, **options: Any) -> tuple[Any, Any]:
        """The value of a function of arrays, and its tangent."""
        f = of_tensors(function, args, options)
        points = f.of_arguments(f.flat.leaves)
        tangents = f.of_arguments(f.flat.tangents(as_tangent(dots)))
        found: Any = torch.func.jvp(f, points, tuple(map(fitted, tangents, points)), has_aux=True)
        ys, y_dots, others = found
        return everywhere(wrapped, f.value(ys, others)), everywhere(wrapped, f.value(y_dots, [ZERO] * len(others)))


def of_tensors(function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> OfActive:
    """A function of arrays as one of the active tensors in them."""

    def function_of_tensors(*tensors: Any) -> Any:
        return everywhere(unwrapped, function(*everywhere(wrapped, tensors), **options))

    return OfActive(function_of_tensors, everywhere(unwrapped, args))


CONFIG = OnTensors()


class KnownValue(threading.local):
    """The arguments and the value of the call whose rule runs, where PyTorch cannot compute the value."""

    primal: Any = None
    args: tuple[Any, ...] = ()
    value: Any = None
    is_trial: bool = False  # nobody will differentiate what is computed now

    def of(self, primal: Any, args: tuple[Any, ...]) -> Any:
        """The value of a call if it is this one; None of any other."""
        same = primal is self.primal and len(args) == len(self.args) and all(map(is_, args, self.args))
        return self.value if same else None


known = KnownValue()


@dataclass(eq=False)
class TensorCall:
    """A call whose rule runs on tensors; `is_native` says that the value does, too. Its value is kept as a tree."""

    flat: FlatCall
    is_native: bool
    tree: FlatValue | None = field(default=None)

    def value(self, inputs: Sequence[Any]) -> list[torch.Tensor]:
        """The results, where PyTorch computes them."""
        self.tree = y = self.flat.value(list(map(wrapped, inputs)))
        return [tensor_of(y.leaves[k]) for k in places_of(y)]

    def pulled(self, inputs: Sequence[Any], results: Sequence[Any], needed: Sequence[int], bars: Sequence[Any]) -> list[Any]:
        """The cotangents of the needed leaves, from those of the results, None among them."""
        arrays = self._arrays(inputs, results)
        try:
            y, pull = self.flat.rrule(arrays, [k in needed for k in range(len(inputs))], CONFIG)
            seeds: list[Any] = [ZERO] * len(y.leaves)
            for k, bar in zip(places_of(y), bars, strict=True):
                seeds[k] = ZERO if bar is None else TensorArray(bar)
            found = pull(seeds)
        finally:
            known.primal = known.value = None
        return [fitted(found[k], inputs[k]) for k in needed]

    def pushed(self, inputs: Sequence[Any], results: Sequence[Any], dots: Sequence[Any]) -> list[Any]:
        """The tangents of the results, from those of the leaves, None among them."""
        arrays = self._arrays(inputs, results)
        try:
            y, y_dots = self.flat.frule(arrays, [ZERO if dot is None else TensorArray(dot) for dot in dots], CONFIG)
        finally:
            known.primal = known.value = None
        return [fitted(y_dots[k], y) for k, y in zip(places_of(y), results, strict=True)]

    def _arrays(self, inputs: Sequence[Any], results: Sequence[Any]) -> list[Any]:
        arrays = list(map(wrapped, inputs))
        if not self.is_native:
            assert self.tree is not None, "the call has been run"
            known.primal, known.args = self.flat.primal, self.flat.arguments(arrays)[0]
            known.value = self.rebuilt(list(map(wrapped, results)))
        return arrays

    def rebuilt(self, results: Sequence[Any]) -> Any:
        """The value with its results in their places."""
        assert self.tree is not None, "the call has been run"
        leaves = list(self.tree.leaves)
        for k, y in zip(places_of(self.tree), results, strict=True):
            leaves[k] = y
        return self.tree.with_leaves(leaves)


def fitted(t: Any, x: torch.Tensor) -> torch.Tensor:
    """A tangent of `x` as a tensor of its shape and dtype, zeros written out."""
    t = unthunk(t)
    if is_zero(t):
        return torch.zeros_like(x)
    if type(t) is TensorArray and t.tensor.dtype is x.dtype and t.tensor.shape == x.shape:
        return t.tensor
    return tensor_of(ProjectTo(TensorArray(x))(wrapped(t))).to(x.device)


