"""Derivatives of operations are operations, too: JAX differentiates, transposes and batches one by calling another one.

Push        the arguments of an operation, and tangents of some of them, to the tangents of its outputs
Pull        the arguments, and cotangents of the outputs, to the cotangents of some arguments
Mapped      an operation, again and again along the first axis of some arguments
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from chainrules_jax.operations import Arrays, Operation, Specs, chosen, dense, spread
from chainrules_jax.tangents import Spec, transposed_convention
from chainrules_py import unthunk


@dataclass(frozen=True, repr=False)
class Linear(Operation):
    """A derivative of an operation, with respect to the arguments that are active."""

    of: Operation
    active: tuple[bool, ...]

    @property
    def linear_from(self) -> int:
        """As many as the operation has arguments."""
        return len(self.of.ins)

    @property
    def broadcasts(self) -> bool:
        """Whether the operation broadcasts."""
        return self.of.broadcasts

    @property
    def table(self) -> Any:
        """The table of the operation."""
        return self.of.table

    @cached_property
    def directions(self) -> Specs:
        """What tangents of the active arguments look like."""
        return tuple(chosen(self.of.ins, self.active))

    @cached_property
    def codirections(self) -> Specs:
        """What cotangents of the floating outputs look like."""
        return tuple(chosen(self.of.outs, self.of.floating))

    def over(self, size: int, rank: int) -> "Linear":
        """The derivative on arrays with one more axis."""
        return replace(self, of=self.of.over(size, rank))


@dataclass(frozen=True, repr=False)
class Push(Linear):
    """The pushforward: arguments, and a tangent for each that is active, to the tangents of the floating outputs."""

    @cached_property
    def ins(self) -> Specs:  # type: ignore[override]
        """Arguments and tangents."""
        return (*self.of.ins, *self.directions)

    @property
    def outs(self) -> Specs:  # type: ignore[override]
        """Tangents of the outputs."""
        return self.codirections

    def compute(self, arrays: Arrays) -> list[Any]:
        """The tangents of the outputs."""
        xs, dots = arrays[: self.linear_from], arrays[self.linear_from :]
        return self.of.push(xs, spread(dots, self.active))

    def transposed(self) -> "Pull":
        """The pullback to the active arguments."""
        return Pull(self.of, self.active)


@dataclass(frozen=True, repr=False)
class Pull(Linear):
    """The pullback, in JAX's convention: arguments and cotangents of the outputs, to the cotangents of the active arguments."""

    @cached_property
    def ins(self) -> Specs:  # type: ignore[override]
        """Arguments and cotangents."""
        return (*self.of.ins, *self.codirections)

    @property
    def outs(self) -> Specs:  # type: ignore[override]
        """Cotangents of the active arguments."""
        return self.directions

    def compute(self, arrays: Arrays) -> list[Any]:
        """The cotangents of the active arguments."""
        xs, bars = arrays[: self.linear_from], arrays[self.linear_from :]
        found = self._pulled_directly(xs, bars)
        if found is None:
            found = transposed_convention(lambda bars: self.of.pull(xs, bars, self.active))(bars)
        return dense(chosen(found, self.active), chosen(xs, self.active), self.floating)

    def _pulled_directly(self, xs: Arrays, bars: Arrays) -> Any:
        """What the rule says of real arrays, with nothing laid out, where it can: a callback takes a sixth less."""
        if self._direct is None or not all(type(x) is np.ndarray for x in (*xs, *bars)):  # chainrules_tape traces the others
            return None
        y, pullback = self._direct(*xs)
        return list(map(unthunk, pullback(bars[0]))) if isinstance(y, np.ndarray | np.generic) else None

    @cached_property
    def _direct(self) -> Any:
        is_real = all(np.dtype(spec.dtype).kind == "f" for spec in (*self.ins, *self.outs))
        return self.of.direct_rrule(self.active) if is_real and len(self.of.outs) == 1 else None

    def transposed(self) -> "Push":
        """The pushforward along the active arguments."""
        return Push(self.of, self.active)


@dataclass(frozen=True, repr=False)
class Mapped(Operation):
    """An operation along the first axis of the arguments that have one; an output without one is the sum over it."""

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
        """As of the operation."""
        return self.of.linear_from

    @property
    def table(self) -> Any:
        """The table of the operation."""
        return self.of.table

    def compute(self, arrays: Arrays) -> list[Any]:
        """The outputs, one after the other."""
        rows = [self._row(arrays, k) for k in range(self.size)]
        columns = zip(*rows, strict=True) if rows else [[] for _ in self.outs]
        return [
            np.stack(column) if given and rows else sum(column) if rows else np.zeros(spec.shape, spec.dtype)
            for column, given, spec in zip(columns, self.giving, self.outs, strict=True)
        ]

    def _row(self, arrays: Arrays, k: int) -> list[Any]:
        row = [x[k] if had else x for x, had in zip(arrays, self.having, strict=True)]
        found = self.of.compute([np.asarray(x) if isinstance(x, np.generic) else x for x in row])
        return [np.asarray(y) if isinstance(y, float | int | complex) else y for y in found]

    def along(self, active: tuple[bool, ...]) -> "Mapped":
        """The derivative of each, along tangents that have the axis where the arguments have it."""
        having = (*self.having, *chosen(self.having, active))
        return Mapped(along(self.of, active), self.size, having, tuple(chosen(self.giving, self.of.floating)))

    def transposed(self) -> "Mapped":
        """The linear part of each, the other way: what had no axis is summed, and what was summed has none."""
        n = self.linear_from
        return Mapped(self.of.transposed(), self.size, (*self.having[:n], *self.giving), self.having[n:])


def _with_axis(specs: Specs, having: Sequence[bool], size: int) -> Specs:
    return tuple(Spec((size, *s.shape), s.dtype) if had else s for s, had in zip(specs, having, strict=True))


def along(operation: Operation, active: tuple[bool, ...]) -> Operation:
    """The derivative of an operation along tangents of the arguments that are active."""
    return operation.along(active) if isinstance(operation, Mapped) else Push(operation, active)
