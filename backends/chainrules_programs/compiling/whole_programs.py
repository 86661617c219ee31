"""Whole programs of other engines, compiled: value, pullback and pushforward as straight code.

An engine calls a program and its derivatives apart from each other, so each of them is recorded by
itself. A pullback computes the values again that it needs.
"""

from functools import partial
from typing import Any

from chainrules_programs.compiling.compile import compiled
from chainrules_py.table.registry import RuleTable
from chainrules_tape.core.tracing import Function
from chainrules_tape.transforms import jvp, vjp


class CompiledCalls:
    """A program, its pullback and its pushforward, each compiled for itself.

    `traced` is the value beside a derivative: as on the tape, arguments into which the program
    writes stay as they are, so that the pullback finds them.
    """

    def __init__(self, function: Function, rules: RuleTable) -> None:
        self.value = compiled(partial(run, function))
        self.traced = compiled(partial(traced, function, rules))
        self.pulled = compiled(partial(pulled, function, rules))
        self.pushed = compiled(partial(pushed, function, rules))


# functions of their arguments alone: what they read is followed as that of a partial function


def run(function: Function, args, options) -> Any:
    """The value of a program."""
    return function(*args, **options)


def traced(function: Function, rules: RuleTable, args, options) -> Any:
    """The value of a program that is differentiated."""
    return vjp(partial(run, function), args, options, rules=rules)[0]


def pulled(function: Function, rules: RuleTable, args, options, y_bar) -> Any:
    """The cotangents of arguments and options."""
    return vjp(partial(run, function), args, options, rules=rules)[1](y_bar)


def pushed(function: Function, rules: RuleTable, args, options, args_dot, options_dot) -> Any:
    """The value of a program, and its tangent."""
    point, dots = (args, options), (args_dot, options_dot)
    return jvp(partial(run, function), point, dots, rules=rules)
