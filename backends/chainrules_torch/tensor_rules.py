"""Calls of primals and their derivatives in operations of PyTorch's: rules run on tensors, as
`TensorArray`s.

What is computed here PyTorch sees, so that it can batch it and differentiate it once more. A primal
that PyTorch does not have is called through `to_torch` again, also from inside of a rule; while its
own rule runs, its value is known already.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from chainrules_py import ZERO, HasForwardMode, HasReverseMode, ProjectTo, is_zero, unthunk
from chainrules_py.engines import FlatCall, FlatValue, KnownCall, as_tangent
from chainrules_torch.arrays.tensor_array import TensorArray, tensor_of
from chainrules_torch.conversion import is_differentiable
from chainrules_torch.foreign import OfActive
from chainrules_torch.functions import alive
from chainrules_torch.programs import of_chosen, places_of, with_results


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

    def rrule_via_ad(
        self, function: Callable[..., Any], *args: Any, **options: Any
    ) -> tuple[Any, Callable[..., Any]]:
        """The value of a function of arrays, and its pullback."""
        f = of_tensors(function, args, options)
        found: Any = torch.func.vjp(f, *f.of_arguments(f.flat.leaves), has_aux=True)
        ys, vjp, others = found

        def pullback(y_bar: Any) -> tuple[Any, ...]:
            bars = f.y.tangents(as_tangent(y_bar))
            seeds = [bar for bar, differs in zip(bars, f.differs, strict=True) if differs]
            found = f.filled(
                vjp([fitted(bar, y) for bar, y in zip(seeds, ys, strict=True)]),
                [ZERO] * len(f.flat.leaves),
            )
            bars_of_args: tuple[Any, ...] = everywhere(wrapped, found)
            return bars_of_args

        return everywhere(wrapped, f.value(ys, others)), pullback

    def frule_via_ad(
        self, dots: tuple[Any, ...], function: Callable[..., Any], *args: Any, **options: Any
    ) -> tuple[Any, Any]:
        """The value of a function of arrays, and its tangent."""
        f = of_tensors(function, args, options)
        points = f.of_arguments(f.flat.leaves)
        tangents = f.of_arguments(f.flat.tangents(as_tangent(dots)))
        found: Any = torch.func.jvp(f, points, tuple(map(fitted, tangents, points)), has_aux=True)
        ys, y_dots, others = found
        return everywhere(wrapped, f.value(ys, others)), everywhere(
            wrapped, f.value(y_dots, [ZERO] * len(others))
        )


def of_tensors(
    function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]
) -> OfActive:
    """A function of arrays as one of the active tensors in them."""

    def function_of_tensors(*tensors: Any) -> Any:
        return everywhere(unwrapped, function(*everywhere(wrapped, tensors), **options))

    return OfActive(function_of_tensors, everywhere(unwrapped, args))


CONFIG = OnTensors()


class KnownValue(KnownCall):
    """The call whose rule runs, where PyTorch cannot compute its value."""

    primal: Any = None
    is_trial = False  # whether nobody will differentiate what is computed now

    def of(self, primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Return the value of a call if it is this one; None of any other."""
        return self.value_of(args, options) if primal is self.primal else None


known = KnownValue()


@dataclass(eq=False)
class TensorCall:
    """A call whose rule runs on tensors; `value_in_torch` says that the value does, too.

    What its value is like is kept.
    """

    flat: FlatCall
    value_in_torch: bool
    tree: FlatValue | None = None
    places: Sequence[int] = ()

    def value(self, inputs: Sequence[Any]) -> list[torch.Tensor]:
        """The results, where PyTorch computes them."""
        return self.described(self.flat.value(list(map(wrapped, inputs))))

    def described(self, y: FlatValue) -> list[torch.Tensor]:
        """The results in a value, and for later what else is in it: the results themselves would
        keep PyTorch's graph alive.
        """
        self.places = places_of(y)
        self.tree = FlatValue(
            [None if k in self.places else leaf for k, leaf in enumerate(y.leaves)], y.tree
        )
        return [tensor_of(wrapped(y.leaves[k])) for k in self.places]

    def pulled(
        self,
        inputs: Sequence[Any],
        results: Sequence[Any],
        needed: Sequence[int],
        bars: Sequence[Any],
    ) -> list[Any]:
        """The cotangents of the needed leaves, from those of the results, None among them."""
        with self._known(inputs, results) as arrays:
            y, pull = self.flat.rrule(arrays, [k in needed for k in range(len(inputs))], CONFIG)
            seeds: list[Any] = [ZERO] * len(y.leaves)
            for k, bar in zip(places_of(y), bars, strict=True):
                seeds[k] = ZERO if bar is None else TensorArray(bar)
            found = pull(seeds)
        return [fitted(found[k], inputs[k]) for k in needed]

    def pushed(
        self, inputs: Sequence[Any], results: Sequence[Any], dots: Sequence[Any]
    ) -> list[Any]:
        """The tangents of the results, from those of the leaves, None among them."""
        with self._known(inputs, results) as arrays:
            y, y_dots = self.flat.frule(
                arrays, [ZERO if dot is None else TensorArray(dot) for dot in dots], CONFIG
            )
        return [fitted(y_dots[k], y) for k, y in zip(places_of(y), results, strict=True)]

    @contextmanager
    def _known(self, inputs: Sequence[Any], results: Sequence[Any]) -> Iterator[list[Any]]:
        """Make arrays of the inputs; a value that PyTorch cannot compute is known meanwhile."""
        arrays = list(map(wrapped, inputs))
        before = known.primal, known.call
        if not self.value_in_torch:
            value = self.rebuilt(list(map(wrapped, results)))
            known.primal, known.call = self.flat.primal, (*self.flat.arguments(arrays), value)
        try:
            yield arrays
        finally:
            known.primal, known.call = before

    def rebuilt(self, results: Sequence[Any]) -> Any:
        """The value with its results in their places."""
        assert self.tree is not None, "the call has been run"
        return with_results(self.tree, self.places, results)


class TensorPush:
    """The tangents of a call's results as a function of arguments, results and tangents; PyTorch
    differentiates it.
    """

    def __init__(
        self, inner: "TensorCall | TensorPush", inputs: int, results: int, moved: Sequence[int]
    ) -> None:
        self.inner, self.inputs, self.results, self.moved = inner, inputs, results, moved

    def value(self, operands: Sequence[Any]) -> list[torch.Tensor]:
        """The tangents."""
        inputs, results, dots = (
            operands[: self.inputs],
            operands[self.inputs : self.inputs + self.results],
            operands[self.inputs + self.results :],
        )
        given = dict(zip(self.moved, dots, strict=True))
        found = self.inner.pushed(inputs, results, [given.get(k) for k in range(self.inputs)])
        return [dot for dot, y in zip(found, results, strict=True) if is_differentiable(y)]

    def pulled(
        self,
        inputs: Sequence[Any],
        results: Sequence[Any],
        needed: Sequence[int],
        bars: Sequence[Any],
    ) -> list[Any]:
        """The cotangents of the needed operands."""
        found: Any = torch.func.vjp(
            of_chosen(self.value, list(map(alive, inputs)), needed), *(inputs[k] for k in needed)
        )
        ys, vjp = found
        return list(
            vjp(
                tuple(
                    torch.zeros_like(y) if bar is None else bar
                    for bar, y in zip(bars, ys, strict=True)
                )
            )
        )

    def pushed(
        self, inputs: Sequence[Any], results: Sequence[Any], dots: Sequence[Any]
    ) -> list[Any]:
        """The tangents of the tangents."""
        moved = [k for k, dot in enumerate(dots) if dot is not None]
        points, tangents = (tuple(values[k] for k in moved) for values in (inputs, dots))
        return list(
            torch.func.jvp(
                of_chosen(self.value, list(map(alive, inputs)), moved), points, tangents
            )[1]
        )


def fitted(t: Any, x: torch.Tensor) -> torch.Tensor:
    """A tangent of `x` as a tensor of its shape and dtype, zeros written out."""
    t = unthunk(t)
    if is_zero(t):
        return torch.zeros_like(x)
    if type(t) is TensorArray and t.tensor.dtype is x.dtype and t.tensor.shape == x.shape:
        return t.tensor
    return tensor_of(ProjectTo(TensorArray(x))(wrapped(t))).to(x.device)
