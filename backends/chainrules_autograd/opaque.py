"""The pullback and the pushforward of a rule that does not run on boxes, as calls with derivatives
of their own.

The rule runs on NumPy's arrays, and autograd sees what it returns as the value of one operation.
Where somebody asks for a derivative of that, the tape differentiates the rule.
"""

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, Protocol

from chainrules_autograd.boxes import is_differentiable
from chainrules_py import (
    ZERO,
    NotDifferentiableError,
    RuleConfig,
    RuleTable,
    is_zero,
    materialize,
)
from chainrules_py.engines import FlatValue, qualified_name

Leaves = Sequence[Any]
Pull = Callable[[Leaves], list[Any]]


class Call(Protocol):
    """A function of a list of arrays that has a value and both rules."""

    @property
    def table(self) -> RuleTable:
        """The rules that count."""
        ...

    def value(self, leaves: Leaves) -> FlatValue:
        """The value on these leaves."""
        ...

    def rrule(
        self, leaves: Leaves, needed: Sequence[bool], config: RuleConfig
    ) -> tuple[FlatValue, Pull]:
        """The value and the pullback."""
        ...

    def frule(
        self, leaves: Leaves, dots: Leaves, config: RuleConfig
    ) -> tuple[FlatValue, list[Any]]:
        """The value and the tangents of its leaves."""
        ...


class OpaqueDerivative:
    """A derivative of a call as a function of (co)tangents and arguments: a `Call`, whose own rules
    are the tape's.

    `given` are the positions of the (co)tangents that are not zero, of `count` in all; they are the
    first leaves.
    """

    kind: str

    def __init__(self, call: Call, given: Sequence[int], count: int, config: RuleConfig) -> None:
        self.call, self.given, self.count, self.config = call, given, count, config

    @property
    def table(self) -> RuleTable:
        """Return the table whose rules count."""
        return self.call.table

    def __repr__(self) -> str:
        return f"the {self.kind} of {self.call!r}"

    def __call__(self, *leaves) -> tuple[Any, ...]:
        """Return the derivative, dense, where there is one."""
        tangents, values = [ZERO] * self.count, leaves[len(self.given) :]
        for k, tangent in zip(self.given, leaves, strict=False):
            tangents[k] = tangent
        return self.derivative(tangents, values)

    def derivative(self, tangents: Leaves, values: Leaves) -> tuple[Any, ...]:
        """Return the derivative along (co)tangents of which some are ZERO."""
        raise NotImplementedError

    def taped(self) -> "OpaqueDerivative":
        """Return this derivative with functions inside differentiated by the tape."""
        from chainrules_tape.core.config import TapeConfig

        other = copy(self)
        other.config = TapeConfig(self.table)
        return other

    def value(self, leaves: Leaves) -> FlatValue:
        """Return the derivative on these leaves."""
        return FlatValue.of(self(*leaves))

    def rrule(
        self, leaves: Leaves, needed: Sequence[bool], config: RuleConfig
    ) -> tuple[FlatValue, Pull]:
        """Return the derivative and its pullback, by the tape."""
        y, pullback = by_tape("vjp", self, self.table, *leaves)
        flat = FlatValue.of(y)

        def pull(bars: Leaves) -> list[Any]:
            pairs = zip(bars, flat.leaves, strict=True)
            return list(
                pullback(flat.with_leaves([materialize(bar, like=leaf) for bar, leaf in pairs]))
            )

        return flat, pull

    def frule(
        self, leaves: Leaves, dots: Leaves, config: RuleConfig
    ) -> tuple[FlatValue, list[Any]]:
        """Return the derivative and its tangent, by the tape."""
        y, y_dot = by_tape("jvp", self, self.table, tuple(leaves), tuple(dots))
        flat = FlatValue.of(y)
        return flat, flat.tangents(y_dot)


def by_tape(transform: str, function: Callable[..., Any], table: RuleTable, *args) -> Any:
    """Differentiate by the tape a function that autograd cannot trace; raise NotDifferentiableError
    if the tape cannot either.
    """
    is_derivative = isinstance(function, OpaqueDerivative)
    try:
        import chainrules_tape

        taped = function.taped() if isinstance(function, OpaqueDerivative) else function
        return getattr(chainrules_tape, transform)(taped, *args, rules=table)
    except Exception as error:
        where = repr(function) if is_derivative else qualified_name(function)
        got = "its derivative was asked for, and it runs on NumPy's arrays only"
        instead = (
            "write it in operations that have rules, best of `xp` (with optree installed, NumPy's"
            " will do)"
        )
        raise NotDifferentiableError(where, got, instead, primal=function, argument=None) from error


class Pullback(OpaqueDerivative):
    """The pullback of a call: from cotangents of the value to those of the needed leaves."""

    kind = "pullback"

    def __init__(
        self,
        call: Call,
        needed: Sequence[bool],
        given: Sequence[int],
        count: int,
        config: RuleConfig,
    ) -> None:
        super().__init__(call, given, count, config)
        self.needed = needed

    def derivative(self, tangents: Leaves, values: Leaves) -> tuple[Any, ...]:
        """Return the cotangents of the leaves that are needed."""
        found = self.call.rrule(values, self.needed, self.config)[1](tangents)
        return tuple(
            materialize(found[k], like=values[k]) for k, need in enumerate(self.needed) if need
        )


class Pushforward(OpaqueDerivative):
    """The pushforward of a call: from tangents of the leaves to those of the value's differentiable
    leaves.
    """

    kind = "pushforward"

    def derivative(self, tangents: Leaves, values: Leaves) -> tuple[Any, ...]:
        """Return the tangents of the differentiable leaves of the value."""
        y, dots = self.call.frule(values, tangents, self.config)
        return tuple(
            materialize(ZERO if is_zero(dot) else dot, like=leaf)
            for leaf, dot in zip(y.leaves, dots, strict=True)
            if is_differentiable(leaf)
        )
