"""Whole programs of other engines, compiled: value, pullback and pushforward as straight code.

An engine calls a program and its derivatives apart from each other, so each of them is recorded by
itself. A pullback computes the values again that it needs.
"""

from typing import Any

from chainrules_py.table.registry import RuleTable
from chainrules_tape.compiling.compile import compiled
from chainrules_tape.core.tracing import Function
from chainrules_tape.transforms import jvp, vjp


class CompiledCalls:
    """A program, its pullback and its pushforward, each compiled for itself."""

    def __init__(self, function: Function, rules: RuleTable) -> None:
        def run(args: Any, options: Any) -> Any:
            return function(*args, **options)

        def pulled(args: Any, options: Any, y_bar: Any) -> Any:
            return vjp(run, args, options, rules=rules)[1](y_bar)

        def pushed(args: Any, options: Any, args_dot: Any, options_dot: Any) -> Any:
            return jvp(run, (args, options), (args_dot, options_dot), rules=rules)

        self.value = compiled(run)
        self.pulled = compiled(pulled)
        self.pushed = compiled(pushed)
