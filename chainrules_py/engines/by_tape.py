"""What chainrules_tape does for other engines: it differentiates what NumPy computes for them.

It comes with this package.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.engines.rules_of_calls import has_rules
from chainrules_py.rules.config import RuleConfig
from chainrules_py.table.registry import RuleTable


def tape() -> Any:
    """The module of the tape, which imports this package."""
    return import_module("chainrules_tape")


@cache  # configs are keys of the table's memory: one for each table
def tape_config(table: RuleTable) -> RuleConfig:
    """The config of rules that NumPy runs: the tape differentiates functions that they call, by
    the rules of the same table.
    """
    return import_module("chainrules_tape.core.config").TapeConfig(table)


def with_rules(
    primal,
    args: Args,
    options: Options,
    rules: RuleTable,
    is_captured: Callable[[Any], bool] | None = None,
) -> tuple[Any, Args, Options]:
    """Return the call of a function with rules; one without is a program, which the tape
    differentiates as one operation.

    What such a program captures of values for which `is_captured` holds becomes arguments.
    """
    if has_rules(rules, primal, args, options):
        return primal, args, options
    operation: tuple[Any, Args, Options]
    operation = tape().as_operation(primal, args, options, rules, is_captured)
    return operation


def each_example(
    function: Function,
    lanes: tuple[bool, ...],
    args: Args,
    table: RuleTable,
    of,
    kind,
) -> Any:
    """Compute a function of NumPy's arrays for all examples, along the first axis of some arrays.

    The tape computes them at once, or one by one where the function decides by their values: that
    is found out once for each `kind` of call of the function `of`.
    """
    in_lanes = import_module("chainrules_tape.vmap").each_example
    return in_lanes(function, lanes, args, table, of=of, kind=kind)
