"""Functions of flat NumPy arrays that JAX programs call: the value of a call, its pushforward, its pullback, and theirs in turn.

    Value       the leaves of a call                    to those of its value
    Push        the arguments of an operation and       to the tangents of its outputs
                tangents of some of them
    Pull        the arguments and cotangents            to the cotangents of some of them
    Mapped      an operation, again and again along the first axis of some arguments

All are static and hashable: arrays come as arguments. Derivatives of `Value` come from the rules of the table; those of the others,
for second derivatives, from chainrules_tape, which differentiates what the rules compute.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from chainrules_jax import configs
from chainrules_jax.bound_calls import BoundCall
from chainrules_jax.errors import JaxError, note
from chainrules_jax.tangents import Spec, is_floating, transposed_convention
from chainrules_py import ZERO, materialize

Arrays = Sequence[Any]
MODES = ("reverse", "forward")
Specs = tuple[Any, ...]


class Operation:
    """A function of arrays with declared shapes; the arguments from `linear_from` on enter linearly."""

    ins: Specs
    outs: Specs
    of: Any

    @property
    def linear_from(self) -> int:
        """How many arguments come before those that enter linearly."""
        return len(self.ins)

    @property
    def broadcasts(self) -> bool:
        """Whether one more axis at the front of all arguments is one more axis of the outputs."""
        return False

    def compute(self, arrays: Arrays) -> list[Any]:
        """The outputs; of arrays that chainrules_tape traces, too."""
        raise NotImplementedError

    def push(self, arrays: Arrays, dots: Arrays) -> list[Any]:
        """The tangents of the floating outputs, from one tangent, ZERO among them, of each argument."""
        tangents = tuple(materialize(dot, like=x) for dot, x in zip(dots, arrays, strict=True))
        _, found = configs.tape().jvp(lambda *xs: tuple(self.compute(xs)), tuple(arrays), tangents, rules=self.table)
        return [dot for dot, spec in zip(found, self.outs, strict=True) if is_floating(spec)]

    def pull(self, arrays: Arrays, bars: Arrays, active: Sequence[bool]) -> list[Any]:
        """The cotangents of all arguments, ZERO among them, from those of the floating outputs."""
        _, pullback = configs.tape().vjp(lambda *xs: tuple(self.compute(xs)), *arrays, rules=self.table)
        return list(pullback(tuple(bars)))

    def along(self, active: tuple[bool, ...]) -> "Operation":
        """The operation's derivative along tangents of the arguments that are active."""
        return Push(self, active)

    def transposed(self) -> "Operation":
        """The linear part of the operation, the other way."""
        raise NotImplementedError

    def over(self, size: int, rank: int) -> "Operation":
        """The operation on arrays with `size` in front and `rank` axes after it."""
        raise NotImplementedError

    @property
    def rank(self) -> int:
        """The largest number of axes."""
        return max(len(spec.shape) for spec in (*self.ins, *self.outs))

    @property
    def table(self) -> Any:
        """The rules."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"the {type(self).__name__.lower()} of {self.of}"

    def evaluate(self, *arrays: Any) -> list[Any]:
        """The outputs of plain arrays, of the declared shapes and dtypes; what goes in and out is nobody else's."""
        try:
            found = self.compute([np.array(x) for x in arrays])
            return [_declared(y, spec, self) for y, spec in zip(found, self.outs, strict=True)]
        except Exception as error:
            note(error)
            raise


@dataclass(frozen=True, repr=False)
class Value(Operation):
    """The value of a call."""

    bound: BoundCall
    ins: Specs
    outs: Specs
    elementwise: bool

    @property
    def broadcasts(self) -> bool:
        """Whether the rule is that of an elementwise function."""
        return self.elementwise

    @property
    def table(self) -> Any:
        """The table of the call."""
        return self.bound.call.table

    def compute(self, arrays: Arrays) -> list[Any]:
        """The leaves of the value."""
        return self.bound.value(self.bound.as_numbers(arrays, "reverse", self.config)).leaves

    def __repr__(self) -> str:
        return f"to_jax({self.bound.call})"

    @property
    def config(self) -> Any:
        """How functions that are arguments are differentiated."""
        return configs.host(self.table)

    def push(self, arrays: Arrays, dots: Arrays) -> list[Any]:
        """The tangents by the forward rule, or else by the reverse rule: a pullback is linear, and its derivative is this."""
        leaves = self.bound.as_numbers(arrays, "forward", self.config)
        if self._has_only("reverse", arrays):
            return self._push_by_pullback(arrays, dots)
        y, found = self.bound.frule(leaves, dots, self.config)
        return _dense(found, y.leaves, self.outs)

    def pull(self, arrays: Arrays, bars: Arrays, active: Sequence[bool]) -> list[Any]:
        """The cotangents by the reverse rule, or else by the forward rule: a pushforward is linear, and this its pullback."""
        leaves = self.bound.as_numbers(arrays, "reverse", self.config)
        if self._has_only("forward", arrays):
            return self._pull_by_pushforward(arrays, bars, active)
        _, pull = self.bound.rrule(leaves, active, self.config)
        given = iter(bars)
        return pull([next(given) if is_floating(spec) else ZERO for spec in self.outs])

    def _has_only(self, mode: str, arrays: Arrays) -> bool:
        modes = [m for m in MODES if self.bound.rule(m, self.bound.as_numbers(arrays, m, self.config), self.config)]
        return modes == [mode]

    def _push_by_pullback(self, arrays: Arrays, dots: Arrays) -> list[Any]:
        active = [dot is not ZERO for dot in dots]
        zeros = [np.zeros(spec.shape, spec.dtype) for spec in self.outs if is_floating(spec)]
        _, transposed = configs.tape().vjp(
            lambda *bars: tuple(chosen(self.pull(arrays, bars, active), active)), *zeros, rules=self.table
        )
        return list(transposed(tuple(chosen(dots, active))))

    def _pull_by_pushforward(self, arrays: Arrays, bars: Arrays, active: Sequence[bool]) -> list[Any]:
        zeros = [np.zeros(x.shape, x.dtype) for x in chosen(arrays, active)]
        _, transposed = configs.tape().vjp(
            lambda *dots: tuple(self.push(arrays, spread(dots, active))), *zeros, rules=self.table
        )
        return spread(transposed(tuple(bars)), active)

    def over(self, size: int, rank: int) -> "Value":
        """The value of arrays with one more axis."""
        ins = tuple(Spec((size, *(1,) * (rank - len(s.shape)), *s.shape), s.dtype) for s in self.ins)
        return replace(self, ins=ins, outs=tuple(Spec((size, *s.shape), s.dtype) for s in self.outs))


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
        return tuple(filter(is_floating, self.of.outs))

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
    """The pullback, in JAX's convention: arguments, and a cotangent for each floating output, to those of the active arguments."""

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
        found = transposed_convention(lambda bars: self.of.pull(xs, bars, self.active))(bars)
        return _dense(chosen(found, self.active), chosen(xs, self.active), self.outs)

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
        chosen = [x[k] if had else x for x, had in zip(arrays, self.having, strict=True)]
        found = self.of.compute([np.asarray(x) if isinstance(x, np.generic) else x for x in chosen])
        return [np.asarray(y) if isinstance(y, float | int | complex) else y for y in found]

    def along(self, active: tuple[bool, ...]) -> "Mapped":
        """The derivative of each, along tangents that have the axis where the arguments have it."""
        giving = tuple(given for given, spec in zip(self.giving, self.of.outs, strict=True) if is_floating(spec))
        return Mapped(self.of.along(active), self.size, (*self.having, *chosen(self.having, active)), giving)

    def transposed(self) -> "Mapped":
        """The linear part of each, the other way: what had no axis is summed, and what was summed has none."""
        n = self.linear_from
        return Mapped(self.of.transposed(), self.size, (*self.having[:n], *self.giving), self.having[n:])


def _with_axis(specs: Specs, having: Sequence[bool], size: int) -> Specs:
    return tuple(Spec((size, *s.shape), s.dtype) if had else s for s, had in zip(specs, having, strict=True))


def chosen(items: Arrays, active: Sequence[bool]) -> list[Any]:
    return [item for item, chosen in zip(items, active, strict=True) if chosen]


def spread(items: Arrays, active: Sequence[bool]) -> list[Any]:
    """One for each argument: the next of the items where it is active, ZERO where not."""
    given = iter(items)
    return [next(given) if chosen else ZERO for chosen in active]


def _dense(tangents: Arrays, values: Arrays, specs: Specs) -> list[Any]:
    """Dense tangents of the values that are floating."""
    found = zip(tangents, values, specs, strict=True)
    return [materialize(t, like=value) for t, value, spec in found if is_floating(spec)]


def _declared(y: Any, spec: Any, operation: Operation) -> Any:
    """An output with the dtype that was declared; one of another shape, or complex instead of real, is refused."""
    y = np.asarray(y)
    loses = y.dtype.kind == "c" and np.dtype(spec.dtype).kind != "c"
    if y.shape != spec.shape or loses:
        got = f"it returned shape {y.shape} and dtype {y.dtype}, where {spec.shape} and {spec.dtype} were declared"
        instead = "return what has the same shape and kind for all arguments of one shape, or declare it: to_jax(f, shapes=...)"
        raise JaxError(f"{operation}", got, instead, primal=operation)
    return np.array(y, dtype=spec.dtype)
