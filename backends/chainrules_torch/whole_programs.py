"""Planned calls of whole programs: functions of NumPy's without rules, on tensors by position.

The tape differentiates such a program. A call of it is what a person would write for it as an
autograd function: `forward` traces the program, and `backward` goes back over that trace.
"""

from functools import partial
from typing import Any

import torch

from chainrules_py import RuleTable
from chainrules_torch.planned import BoundByNumPy, value_of_planned
from chainrules_torch.routes import Route

BY_NUMPY = Route(value_in_torch=False, rule_in_torch=False)
PLAIN = (torch.Tensor, float, int)


class BoundProgram(BoundByNumPy):
    """A whole program, bound for the calls of one kind."""

    operation: Any
    program: Any

    def canonical(
        self, args: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """Return the call as one of the operation that runs programs."""
        return self.operation, (self.program.program, args, options), {}


def stage_of_program(program, *arrays) -> tuple[Any, Any, Any]:
    """Trace the program: its value, and its pullback as all that is kept of the trace."""
    y, pullback = program.value_and_pullback(arrays)
    return y, pulled_program, pullback


def pulled_program(pullback, y_bar) -> Any:
    """Go back over the trace of a program."""
    return pullback(y_bar)


class ProgramCalls:
    """The calls of one whole program that are planned, by the classes of their arguments."""

    def __init__(self, operation, program, table: RuleTable) -> None:
        self.operation, self.program, self.table = operation, program, table
        self.known: dict[Any, BoundProgram] = {}

    def call_planned(self, args: tuple[Any, ...]) -> torch.Tensor | None:
        """Compute the value of a call of tensors and numbers; None for all others."""
        key = tuple([(type(x), getattr(x, "requires_grad", False)) for x in args])
        bound = self.known.get(key)
        if bound is None:
            bound = self._bound(args)
            if bound is None:
                return None
            self.known[key] = bound
        return None if bound.refused else value_of_planned(bound, args, {})

    def _bound(self, args: tuple[Any, ...]) -> BoundProgram | None:
        """Bind the program to arguments of these classes; None where they are not planned."""
        needed = tuple([k for k, x in enumerate(args) if getattr(x, "requires_grad", False)])
        if not needed or not all(isinstance(x, PLAIN) for x in args):
            return None
        tensors = tuple([k for k, x in enumerate(args) if isinstance(x, torch.Tensor)])
        return BoundProgram(
            table=self.table,
            primal=self.operation,
            rule=None,
            needed=needed,
            stage=partial(stage_of_program, self.program),
            tensors=tensors,
            has_numbers=len(tensors) < len(args),
            route=BY_NUMPY,
            operation=self.operation,
            program=self.program,
        )
