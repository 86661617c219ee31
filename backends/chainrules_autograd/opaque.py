"""The pullback and the pushforward of a rule that does not run on boxes, as calls with derivatives of their own.

The rule runs on NumPy's arrays, and autograd sees what it returns as the value of one operation. Where somebody asks for a
derivative of that, the tape differentiates the rule.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from chainrules_autograd.boxes import is_differentiable
from chainrules_py import ZERO, NotDifferentiableError, is_zero, materialize
from chainrules_py.config import RuleConfig
from chainrules_py.engines import FlatValue
from chainrules_py.registry import RuleTable

Leaves = Sequence[Any]
Pull = Callable[[Leaves], list[Any]]


class Call(Protocol):
    """What has a value and both rules on a list of arrays."""

    @property
    def table(self) -> RuleTable:
        """The rules that count."""
        ...

    def value(self, leaves: Leaves) -> FlatValue:
        """The value on these leaves."""
        ...

    def rrule(self, leaves: Leaves, needed: Sequence[bool], config: RuleConfig) -> tuple[FlatValue, Pull]:
        """The value and the pullback."""
        ...

    def frule(self, leaves: Leaves, dots: Leaves, config: RuleConfig) -> tuple[FlatValue, list[Any]]:
        """The value and the tangents of its leaves."""
        ...


class OpaqueDerivative:
    """A derivative of a call as a function of (co)tangents and arguments: a `Call`, whose own rules are the tape's.

    `given` are the positions of the (co)tangents that are not zero, of `count` in all; they are the first leaves.
    """

    kind: str

    def __init__(self, call: Call, given: Sequence[int], count: int, config: RuleConfig) -> None:
        self.call, self.given, self.count, self.config = call, given, count, config

    @property
    def table(self) -> RuleTable:
        """The rules that count."""
        return self.call.table

    def __repr__(self) -> str:
        return f"the {self.kind} of {self.call!r}"

    def __call__(self, *leaves: Any) -> tuple[Any, ...]:
        """The derivative, dense, where there is one."""
        tangents, values = [ZERO] * self.count, leaves[len(self.given) :]
        for k, tangent in zip(self.given, leaves, strict=False):
            tangents[k] = tangent
        return self.derivative(tangents, values)

    def derivative(self, tangents: Leaves, values: Leaves) -> tuple[Any, ...]:
        """The derivative along (co)tangents of which some are ZERO."""
        raise NotImplementedError

    def value(self, leaves: Leaves) -> FlatValue:
        """The derivative on these leaves."""
        return FlatValue.of(self(*leaves))

    def rrule(self, leaves: Leaves, needed: Sequence[bool], config: RuleConfig) -> tuple[FlatValue, Pull]:
        """The derivative and its pullback, by the tape."""
        y, pullback = self._by_tape("vjp", *leaves)
        flat = FlatValue.of(y)
        return flat, lambda bars: list(pullback(flat.with_leaves([materialize(bar, like=leaf) for bar, leaf in zip(bars, flat.leaves, strict=True)])))

    def frule(self, leaves: Leaves, dots: Leaves, config: RuleConfig) -> tuple[FlatValue, list[Any]]:
        """The derivative and its tangent, by the tape."""
        y, y_dot = self._by_tape("jvp", tuple(leaves), tuple(dots))
        flat = FlatValue.of(y)
        return flat, flat.tangents(y_dot)

    def _by_tape(self, transform: str, *args: Any) -> Any:
        instead = "install chainrules-py[tape], and write the rule in operations that have rules, best on `xp`"
        try:
            import chainrules_tape

            return getattr(chainrules_tape, transform)(self, *args)
        except Exception as error:
            got = f"its derivative was asked for, and the rule cannot be differentiated ({error})"
            raise NotDifferentiableError(repr(self), got, instead, primal=self.call, argument=None) from error


class Pullback(OpaqueDerivative):
    """Cotangents of the value to those of the leaves that are needed."""

    kind = "pullback"

    def __init__(self, call: Call, needed: Sequence[bool], given: Sequence[int], count: int, config: RuleConfig) -> None:
        super().__init__(call, given, count, config)
        self.needed = needed

    def derivative(self, tangents: Leaves, values: Leaves) -> tuple[Any, ...]:
        """The cotangents of the leaves that are needed."""
        found = self.call.rrule(values, self.needed, self.config)[1](tangents)
        return tuple(materialize(found[k], like=values[k]) for k, need in enumerate(self.needed) if need)


class Pushforward(OpaqueDerivative):
    """Tangents of the leaves to those of the value's differentiable leaves."""

    kind = "pushforward"

    def derivative(self, tangents: Leaves, values: Leaves) -> tuple[Any, ...]:
        """The tangents of the differentiable leaves of the value."""
        y, dots = self.call.frule(values, tangents, self.config)
        return tuple(
            materialize(ZERO if is_zero(dot) else dot, like=leaf)
            for leaf, dot in zip(y.leaves, dots, strict=True)
            if is_differentiable(leaf)
        )
