"""Calls of primals and their derivatives in operations of PyTorch's: rules run on tensors, as
`TensorArray`s.

PyTorch sees these operations, so that it can batch them and differentiate them once more. A primal
that PyTorch does not have is called through `to_torch` again, also from inside of a rule; while its
own rule runs, its value is known already.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch

from chainrules_py import (
    ZERO,
    HasForwardsMode,
    HasReverseMode,
    NotDifferentiableError,
    ProjectTo,
    RuleTable,
    default_rules,
    is_zero,
    rules_of,
    unthunk,
)
from chainrules_py.engines import (
    FlatCall,
    FlatValue,
    KnownCall,
    as_tangent,
    of_chosen,
    qualified_name,
    with_items_at,
)
from chainrules_torch.arrays.tensor_array import TensorArray, tensor_of
from chainrules_torch.conversion import is_differentiable
from chainrules_torch.foreign import OfActive
from chainrules_torch.functions import alive
from chainrules_torch.programs import Shape, places_of


def wrapped(x) -> Any:
    """Make an array that behaves as NumPy's do of a tensor; return other values as they are."""
    return TensorArray(x) if isinstance(x, torch.Tensor) else x


def unwrapped(x) -> Any:
    """Take the tensor out of an array; return other values as they are."""
    return x.tensor if type(x) is TensorArray else x


def everywhere(function: Callable[[Any], Any], value) -> Any:
    """Apply a function to each leaf of a value in containers."""
    flat = FlatValue.of(value)
    return flat.with_leaves(list(map(function, flat.leaves)))


class OnTensors(HasReverseMode, HasForwardsMode):
    """The config of rules on tensors: PyTorch differentiates the functions that a rule calls."""

    def __init__(self, table: RuleTable) -> None:
        self.table = table

    def rrule_via_ad(
        self, function: Callable[..., Any], *args, **options
    ) -> tuple[Any, Callable[..., Any]]:
        """Return the value of a function of arrays, and its pullback."""
        f = self._of_tensors(function, args, options)
        found: Any = torch.func.vjp(f, *f.of_arguments(f.flat.leaves), has_aux=True)
        ys, vjp, others = found

        def pullback(y_bar) -> tuple[Any, ...]:
            bars = f.y.tangents(as_tangent(y_bar))
            seeds = [fitted_tensor(bars[k], y) for k, y in zip(f.moving, ys, strict=True)]
            found = f.filled(vjp(seeds), [ZERO] * len(f.flat.leaves))
            bars_of_args: tuple[Any, ...] = everywhere(wrapped, found)
            return bars_of_args

        return everywhere(wrapped, f.value(ys, others)), pullback

    def frule_via_ad(
        self, dots: tuple[Any, ...], function: Callable[..., Any], *args, **options
    ) -> tuple[Any, Any]:
        """Return the value of a function of arrays, and its tangent."""
        f = self._of_tensors(function, args, options)
        points = f.of_arguments(f.flat.leaves)
        tangents = f.of_arguments(f.flat.tangents(as_tangent(dots)))
        found: Any = torch.func.jvp(
            f, points, tuple(map(fitted_tensor, tangents, points)), has_aux=True
        )
        ys, y_dots, others = found
        y, y_dot = f.value(ys, others), f.value(y_dots, [ZERO] * len(others))
        return everywhere(wrapped, y), everywhere(wrapped, y_dot)

    def _of_tensors(
        self, function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]
    ) -> OfActive:
        """Turn a function of arrays into one of the differentiable tensors among its arguments."""
        if self.table is not default_rules:  # which may have other rules than PyTorch
            raise NotDifferentiableError(
                f"{qualified_name(function)} on tensors",
                f"rules of {self.table!r}, which PyTorch does not ask for what it computes",
                "let NumPy run the rule: the tape asks this table",
                primal=function,
                argument=None,
            )

        def function_of_tensors(*tensors):
            return everywhere(unwrapped, function(*everywhere(wrapped, tensors), **options))

        return OfActive(function_of_tensors, everywhere(unwrapped, args))


on_tensors = cache(OnTensors)  # configs are keys of the table's memory: one for each table


class KnownValue(KnownCall):
    """The call whose rule runs, where PyTorch cannot compute its value."""

    primal: Any = None
    is_trial = False  # whether nobody will differentiate what is computed now

    def of(self, primal, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Return the value if this is the call that is known; None for any other."""
        return self.value_of(args, options) if primal is self.primal else None


known = KnownValue()


@dataclass(eq=False)
class TensorCall:
    """A call whose rule runs on tensors; `value_in_torch` says whether PyTorch computes its value,
    too.

    Once it has run, `shape` says how its value is built of the results.
    """

    flat: FlatCall
    value_in_torch: bool
    shape: Shape = field(default_factory=Shape)

    def value(self, inputs: Sequence[Any]) -> list[torch.Tensor]:
        """Compute the results, where PyTorch can."""
        results = self.shape.results_in(self.flat.value(list(map(wrapped, inputs))))
        return [tensor_of(wrapped(y)) for y in results]

    def pulled(
        self,
        inputs: Sequence[Any],
        results: Sequence[Any],
        needed: Sequence[int],
        bars: Sequence[Any],
    ) -> list[Any]:
        """Return the cotangents of the needed leaves from those of the results, None among them."""
        with rules_of(self.flat.table), self._known(inputs, results) as arrays:
            needs = [k in needed for k in range(len(inputs))]
            y, pull = self.flat.rrule(arrays, needs, on_tensors(self.flat.table))
            seeds: list[Any] = [ZERO] * len(y.leaves)
            for k, bar in zip(places_of(y), bars, strict=True):
                seeds[k] = ZERO if bar is None else TensorArray(bar)
            found = pull(seeds)
        return [fitted_tensor(found[k], inputs[k]) for k in needed]

    def pushed(
        self, inputs: Sequence[Any], results: Sequence[Any], dots: Sequence[Any]
    ) -> list[Any]:
        """Return the tangents of the results from those of the leaves, None among them."""
        with rules_of(self.flat.table), self._known(inputs, results) as arrays:
            given = [ZERO if dot is None else TensorArray(dot) for dot in dots]
            y, y_dots = self.flat.frule(arrays, given, on_tensors(self.flat.table))
        return [fitted_tensor(y_dots[k], y) for k, y in zip(places_of(y), results, strict=True)]

    @contextmanager
    def _known(self, inputs: Sequence[Any], results: Sequence[Any]) -> Iterator[list[Any]]:
        """Make arrays of the inputs; a value that PyTorch cannot compute is known meanwhile."""
        arrays = list(map(wrapped, inputs))
        before = known.primal, known.call
        if not self.value_in_torch:
            value = self.shape.rebuilt(list(map(wrapped, results)))
            known.primal, known.call = self.flat.primal, (*self.flat.arguments(arrays), value)
        try:
            yield arrays
        finally:
            known.primal, known.call = before


class TensorPush:
    """The tangents of a call's results as a function of arguments, results and tangents; PyTorch
    differentiates it.
    """

    def __init__(
        self, inner: "TensorCall | TensorPush", inputs: int, results: int, moved: Sequence[int]
    ) -> None:
        self.inner, self.inputs, self.results, self.moved = inner, inputs, results, moved

    def value(self, operands: Sequence[Any]) -> list[torch.Tensor]:
        """Return the tangents of the differentiable results."""
        end = self.inputs + self.results
        inputs = operands[: self.inputs]
        results = operands[self.inputs : end]
        dots = operands[end:]
        given = with_items_at([None] * self.inputs, self.moved, dots)
        found = self.inner.pushed(inputs, results, given)
        return [dot for dot, y in zip(found, results, strict=True) if is_differentiable(y)]

    def pulled(
        self,
        inputs: Sequence[Any],
        results: Sequence[Any],
        needed: Sequence[int],
        bars: Sequence[Any],
    ) -> list[Any]:
        """Return the cotangents of the needed operands."""
        function = of_chosen(self.value, list(map(alive, inputs)), needed)
        found: Any = torch.func.vjp(function, *(inputs[k] for k in needed))
        ys, vjp = found
        pairs = zip(bars, ys, strict=True)
        return list(vjp(tuple(torch.zeros_like(y) if bar is None else bar for bar, y in pairs)))

    def pushed(
        self, inputs: Sequence[Any], results: Sequence[Any], dots: Sequence[Any]
    ) -> list[Any]:
        """Return the tangents of the tangents."""
        moved = [k for k, dot in enumerate(dots) if dot is not None]
        points, tangents = (tuple(values[k] for k in moved) for values in (inputs, dots))
        function = of_chosen(self.value, list(map(alive, inputs)), moved)
        return list(torch.func.jvp(function, points, tangents)[1])


def fitted_tensor(t, x: torch.Tensor) -> torch.Tensor:
    """Turn a tangent of `x` into a tensor of its shape and dtype, with zeros written out."""
    t = unthunk(t)
    if is_zero(t):
        return torch.zeros_like(x)
    if type(t) is TensorArray and t.tensor.dtype is x.dtype and t.tensor.shape == x.shape:
        return t.tensor
    return tensor_of(ProjectTo(TensorArray(x))(wrapped(t))).to(x.device)
