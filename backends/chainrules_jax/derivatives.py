"""Derivatives of operations are operations, too: JAX differentiates, transposes and batches one by
calling another one.

Push        the arguments of an operation, and tangents of some of them, to the tangents of its outputs
Pull        the arguments, and cotangents of the outputs, to the cotangents of some arguments
Mapped      an operation, again and again along the first axis of some arguments
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from chainrules_jax.operations import Arrays, Operation, Specs, active_positions, of_active
from chainrules_jax.tangents import Spec, transposed_convention
from chainrules_py import unthunk
from chainrules_py.engines import Derived, each_example, fitted


@dataclass(frozen=True, repr=False)
class Linear(Derived, Operation):
    """A derivative of an operation, with respect to the arguments that are active."""

    of: Operation
    active: tuple[bool, ...]

    @cached_property
    def positions(self) -> list[int]:
        """The positions of the arguments that are active."""
        return active_positions(self.active)

    @property
    def linear_from(self) -> int:
        """Return the number of arguments of the operation."""
        return len(self.of.ins)

    @property
    def broadcasts(self) -> bool:
        """Tell whether the operation broadcasts."""
        return self.of.broadcasts

    @cached_property
    def directions(self) -> Specs:
        """The shapes and dtypes of the tangents of the active arguments."""
        return tuple(of_active(self.of.ins, self.active))

    @cached_property
    def codirections(self) -> Specs:
        """The shapes and dtypes of the cotangents of the floating outputs."""
        return tuple(of_active(self.of.outs, self.of.floating))

    @property
    def ends(self) -> tuple[Specs, Specs]:
        """The shapes and dtypes of the linear arguments, and of the outputs."""
        raise NotImplementedError

    @cached_property
    def ins(self) -> Specs:  # type: ignore[override]
        """The arguments of the operation, and the linear ones."""
        return (*self.of.ins, *self.ends[0])

    @property
    def outs(self) -> Specs:  # type: ignore[override]
        """The shapes and dtypes of the outputs."""
        return self.ends[1]

    def compute(self, arrays: Arrays, memory: Any = None) -> list[Any]:
        """The outputs."""
        return self.compute_linear(arrays[: self.linear_from], arrays[self.linear_from :])

    def compute_linear(self, xs: Arrays, linear: Arrays) -> list[Any]:
        """The outputs, from the arguments of the operation and the linear ones."""
        raise NotImplementedError

    def transposed(self) -> "Linear":
        """The other one of pushforward and pullback."""
        return (Pull if isinstance(self, Push) else Push)(self.of, self.active)

    def over(self, size: int, rank: int) -> "Linear":
        """The derivative on arrays with one more axis."""
        return replace(self, of=self.of.over(size, rank))


@dataclass(frozen=True, repr=False)
class Push(Linear):
    """The pushforward: arguments, and a tangent for each that is active, to the tangents of the
    floating outputs.
    """

    @property
    def ends(self) -> tuple[Specs, Specs]:
        """Tangents of the active arguments, and of the outputs."""
        return self.directions, self.codirections

    def compute_linear(self, xs: Arrays, linear: Arrays) -> list[Any]:
        """The tangents of the outputs."""
        return self.of.pushed(xs, self.positions, linear, self.of.moving)


@dataclass(frozen=True, repr=False)
class Pull(Linear):
    """The pullback, in JAX's convention: arguments and cotangents of the outputs, to the cotangents
    of the active arguments.
    """

    @property
    def ends(self) -> tuple[Specs, Specs]:
        """Cotangents of the outputs, and of the active arguments."""
        return self.codirections, self.directions

    def compute_linear(self, xs: Arrays, linear: Arrays) -> list[Any]:
        """The cotangents of the active arguments."""
        found = self._pulled_directly(xs, linear)
        if found is None:
            found = transposed_convention(partial(self._pull_cotangents, xs))(linear)
        return [fitted(bar, xs[k]) for k, bar in zip(self.positions, found, strict=True)]

    def _pull_cotangents(self, xs: Arrays, bars: Arrays) -> list[Any]:
        return self.of.pulled(xs, self.positions, self.of.moving, bars)

    def _pulled_directly(self, xs: Arrays, bars: Arrays) -> Any:
        """The cotangents by the rule itself; None where the arrays are not all real and plain.

        Arguments need not be flattened for that, which saves a sixth of the time.
        """
        # chainrules_tape traces the others
        if self._direct is None or not all(type(x) is np.ndarray for x in (*xs, *bars)):
            return None
        y, pullback = self._direct(*xs)
        if not isinstance(y, np.ndarray | np.generic):
            return None
        return list(map(unthunk, of_active(pullback(bars[0]), self.active)))

    @cached_property
    def _direct(self) -> Any:
        is_real = all(np.dtype(spec.dtype).kind == "f" for spec in (*self.ins, *self.outs))
        return self.of.direct_rrule(self.active) if is_real and len(self.of.outs) == 1 else None


@dataclass(frozen=True, repr=False)
class Mapped(Derived, Operation):
    """An operation along the first axis of the arguments that have one; an output without one is
    the sum over it.
    """

    of: Operation
    size: int
    having: tuple[bool, ...]
    giving: tuple[bool, ...]

    @cached_property
    def ins(self) -> Specs:  # type: ignore[override]
        """The arguments, with the axis where they have it."""
        return _with_axis(self.of.ins, self.having, self.size)

    @cached_property
    def outs(self) -> Specs:  # type: ignore[override]
        """The outputs, with the axis where it is not summed over."""
        return _with_axis(self.of.outs, self.giving, self.size)

    @property
    def linear_from(self) -> int:
        """Return the number of arguments before the linear ones."""
        return self.of.linear_from

    def compute(self, arrays: Arrays, memory: Any = None) -> list[Any]:
        """The outputs, by the rules for batching of what the operation calls."""
        if not self.size:
            return [np.zeros(spec.shape, spec.dtype) for spec in self.outs]
        function, kind = self.call.flat.function, (self.kinds, self.having)
        found = each_example(self._of_one, self.having, tuple(arrays), self.table, function, kind)
        pairs = zip(found, self.giving, strict=True)
        return [y if given else np.sum(y, axis=0) for y, given in pairs]

    def _of_one(self, *row) -> list[Any]:
        found = self.of.compute([np.asarray(x) if isinstance(x, np.generic) else x for x in row])
        return [np.asarray(y) if isinstance(y, float | int | complex) else y for y in found]

    def along(self, active: tuple[bool, ...]) -> "Mapped":
        """Return the derivative, along tangents that have the axis where the arguments have it."""
        having = (*self.having, *of_active(self.having, active))
        giving = tuple(of_active(self.giving, self.of.floating))
        return Mapped(operation_along(self.of, active), self.size, having, giving)

    def transposed(self) -> "Mapped":
        """Return the transpose of the linear part, along the axis: what had no axis is summed, and
        what was summed has none.
        """
        n = self.linear_from
        having = (*self.having[:n], *self.giving)
        return Mapped(self.of.transposed(), self.size, having, self.having[n:])


def _with_axis(specs: Specs, having: Sequence[bool], size: int) -> Specs:
    pairs = zip(specs, having, strict=True)
    return tuple(Spec((size, *s.shape), s.dtype) if had else s for s, had in pairs)


def operation_along(operation: Operation, active: tuple[bool, ...]) -> Operation:
    """Return the derivative of an operation along tangents of the arguments that are active."""
    return operation.along(active) if isinstance(operation, Mapped) else Push(operation, active)
