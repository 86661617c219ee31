"""`chainrules explain numpy.matmul [arguments]`: which rules differentiate a call."""

import argparse
from types import FunctionType
from typing import Any, TextIO

from chainrules_command.answers import Answer
from chainrules_command.arguments import EXAMPLES as OBJECTS, values_of
from chainrules_command.commands.rules import rule_data
from chainrules_command.names import function_named
from chainrules_py.rules.explanation import Explanation
from chainrules_py.rules.rule import MODES
from chainrules_py.table.registry import default_rules
from chainrules_py.values.identity import home_module, qualified_name

EXAMPLES = """\
  chainrules explain numpy.arctan2                    for arrays
  chainrules explain numpy.matmul array list          for objects of these classes
  chainrules explain numpy.power "float32[3]" 2       for arguments as one writes them
"""
# libraries whose functions are differentiated by rules
OWN = frozenset({"numpy", "scipy", "math", "operator"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("function", help="a function by its full name")
    kinds = ", ".join(OBJECTS)
    parser.add_argument(
        "args",
        nargs="*",
        metavar="type",
        help=f"{kinds}, float64[2,3], or a value; arrays if left out",
    )


def run(options: argparse.Namespace, err: TextIO) -> Answer:
    """Say which rules fire; the status is 1 where there is none, and one is needed."""
    function = function_named(options.function)
    found = default_rules.explain(function, *(values_of(options.args) or arrays_for(function)))
    expressions = found.reverse.expressions() if found.reverse is not None else {}
    lines = [f"  {of} = {expression}" for of, expression in expressions.items()]
    has_rule = bool(found.reverse or found.forward)
    needs_none = not has_rule and is_plain_code(found.primal)
    if needs_none:
        lines.append(
            "  needs none: it is Python code, and what it calls is differentiated;"
            f" chainrules show {options.function} prints that"
        )
    return Answer(data_of(found), [str(found), *lines], 0 if has_rule or needs_none else 1)


def is_plain_code(function) -> bool:
    """Whether a function is somebody's own Python code, of no library with a table of rules."""
    return isinstance(function, FunctionType) and home_module(function).partition(".")[0] not in OWN


def arrays_for(function) -> list[Any]:
    """An array for each argument that the first rule of a function has."""
    rule = next(default_rules.rules(function), None)
    return [OBJECTS["array"]] * (len(rule.types) if rule is not None else 1)


def data_of(found: Explanation) -> dict[str, Any]:
    """An explanation as data for JSON."""
    chosen = {mode: found.reverse if mode == "reverse" else found.forward for mode in MODES}
    return {
        "function": qualified_name(found.primal),
        "types": [cls.__qualname__ for cls in found.types],
        **{mode: rule_data(rule) if rule is not None else None for mode, rule in chosen.items()},
        "batching": rule_data(found.batching) if found.batching is not None else "a loop",
        "passed_over": [
            rule_data(rule) for rule in found.candidates if rule not in chosen.values()
        ],
    }
