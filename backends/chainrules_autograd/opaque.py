"""The pullback and the pushforward of a rule that does not run on boxes, as calls with derivatives
of their own.

The rule runs on NumPy's arrays, and autograd sees what it returns as the value of one operation.
Where somebody asks for a derivative of that, the tape differentiates the rule.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from chainrules_autograd.boxes import is_differentiable
from chainrules_py import ZERO, NotDifferentiableError, RuleConfig, RuleTable, is_zero
from chainrules_py.engines import (
    Call as CallOfPrimal,
    FlatCall,
    FlatValue,
    Program,
    Pull,
    qualified_name,
    tape,
    with_items_at,
)

Leaves = Sequence[Any]


@dataclass(frozen=True, repr=False)
class NumpyCall(CallOfPrimal):
    """A call whose results are the differentiable leaves of its value."""

    own_config: RuleConfig

    @property
    def config(self) -> RuleConfig:
        """The config of its rules on NumPy's arrays."""
        return self.own_config

    def places(self, value: FlatValue) -> list[int]:
        """Find the differentiable leaves of the value."""
        return active_in(value)


def active_in(value: FlatValue) -> list[int]:
    """Find the differentiable leaves of a value."""
    return [n for n, leaf in enumerate(value.leaves) if is_differentiable(leaf)]


@dataclass(frozen=True)
class OpaqueDerivative:
    """A derivative of a call, which is called as a `FlatCall` is; its own rules are the tape's."""

    program: Program

    @property
    def table(self) -> RuleTable:
        """Return the table whose rules count."""
        return self.program.table

    def __repr__(self) -> str:
        return repr(self.program)

    def value(self, leaves: Leaves) -> FlatValue:
        """Return the derivative on these leaves."""
        return FlatValue.of(self.program.compute(leaves))

    def rrule(
        self, leaves: Leaves, needed: Sequence[bool], config: RuleConfig
    ) -> tuple[FlatValue, Pull]:
        """Return the derivative and its pullback, by the tape."""
        chosen = [k for k, need in enumerate(needed) if need]

        def pull(bars: Leaves) -> list[Any]:
            given = present(bars)
            with refused_by_tape(self.program, repr(self)):
                found = self.program.pulled(leaves, chosen, given, [bars[n] for n in given])
            return with_items_at([ZERO] * len(leaves), chosen, found)

        return self.value(leaves), pull

    def frule(
        self, leaves: Leaves, dots: Leaves, config: RuleConfig
    ) -> tuple[FlatValue, list[Any]]:
        """Return the derivative and its tangent, by the tape."""
        y, moved = self.value(leaves), present(dots)
        with refused_by_tape(self.program, repr(self)):
            found = self.program.pushed(
                leaves, moved, [dots[k] for k in moved], range(len(y.leaves))
            )
        return y, found


Call = FlatCall | OpaqueDerivative


def present(tangents: Leaves) -> list[int]:
    """Find the (co)tangents that are not zero."""
    return [k for k, t in enumerate(tangents) if not is_zero(t)]


def by_tape(transform: str, function: Callable[..., Any], table: RuleTable, *args) -> Any:
    """Differentiate by the tape a function that autograd cannot trace."""
    with refused_by_tape(function, qualified_name(function)):
        return getattr(tape(), transform)(function, *args, rules=table)


@contextmanager
def refused_by_tape(function, where: str) -> Iterator[None]:
    """Raise NotDifferentiableError where the tape cannot differentiate a function either."""
    try:
        yield
    except Exception as error:
        got = "its derivative was asked for, and it runs on NumPy's arrays only"
        instead = "write it in operations that have rules"
        raise NotDifferentiableError(where, got, instead, primal=function, argument=None) from error
