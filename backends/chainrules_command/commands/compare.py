"""`chainrules compare module:function [arguments]`: which engines differentiate a call, and what each
costs in units of the call.
"""

import argparse
from collections.abc import Callable
from functools import wraps
from typing import Any, TextIO

import numpy as np

from chainrules_command.answers import Answer, Table
from chainrules_command.arguments import call_named, positions_of_real_numbers
from chainrules_command.commands.show import add_call
from chainrules_command.commands.trial import require_number_in_result
from chainrules_engines import compare
from chainrules_engines.comparing import COLUMNS
from chainrules_foreign_code.report import leaves

EXAMPLES = """\
  chainrules compare ./model.py:loss "float64[1000]" "float64[1000,1000]"
  chainrules compare ./model.py:loss 0.5 --engine tape --engine jax --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_call(parser)
    parser.add_argument(
        "--engine", action="append", default=[], help="one of these alone (may be repeated)"
    )


def run(options: argparse.Namespace, err: TextIO) -> Answer:
    """Time the function, and its value and gradient by each engine."""
    function, args = call_named(options)
    argnums = positions_of_real_numbers(options.function, args)
    y = function(*args)
    require_number_in_result(options.function, y)

    found = compare(total(function, y), *args, engines=options.engine, argnums=argnums)
    table = Table(COLUMNS, found.texts)
    data = [
        {name: getattr(row, name) for name in ("engine", "seconds", "first", "memory", "error")}
        for row in found.rows
    ]
    is_good = any(not row.error for row in found.rows)
    return Answer({"seconds": found.seconds, "engines": data}, [found.title, table], not is_good)


def total(function: Callable[..., Any], value: Any) -> Callable[..., Any]:
    """Make a real number of what a function returns, of which one value is known: the number itself,
    or the sum.
    """
    is_complex = any(map(np.iscomplexobj, leaves(value)))  # a complex step of real ones is complex

    def number(part: Any) -> Any:
        return np.sum(np.real(part) if is_complex else part)

    @wraps(function)
    def summed(*args):
        y = function(*args)
        if isinstance(y, dict | list | tuple):
            return sum(map(number, leaves(y)))
        return y if np.ndim(y) == 0 and not is_complex else number(y)

    return summed
