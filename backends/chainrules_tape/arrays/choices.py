"""`numpy.where` of single numbers, by what is not traced: the number that it chooses, in an array."""

from typing import Any

import numpy as np

from chainrules_py.table.registry import default_rules
from chainrules_tape.arrays.numbers import NUMBERS, is_tangent_of_number, kind_of
from chainrules_tape.arrays.protocols import Operation
from chainrules_tape.core.partials import BOOLS


def choosing(function: Operation) -> Operation:
    """Make the ``__array_function__`` of numbers, given the general one."""

    def function_of_numbers(self, primal, types, args, options) -> Any:
        if primal is np.where and not options and is_choice(self.level, args):
            condition, x1, x2 = args
            return in_array(x1 if condition else x2)
        return function(self, primal, types, args, options)

    return function_of_numbers


def is_choice(level, args: tuple[Any, ...]) -> bool:
    """Whether one of two numbers of a kind is chosen, where nothing else has to be asked."""
    if len(args) != 3 or type(args[0]) not in BOOLS or level.closed or level.decisions is not None:
        return False
    if level.engine.debug or level.engine.table is not default_rules:
        return False
    kind = kind_of(args[1])
    return kind not in (None, "i") and kind == kind_of(args[2])


def in_array(x) -> Any:
    """Put a number into an array without axes."""
    if type(x) not in NUMBERS or x.level.closed:
        return np.where(True, x, x)
    y = in_array(x.value)
    if x.level.mode == "reverse":
        return x.level.record(y, number_pull, None, x.slot)
    is_number = is_tangent_of_number(x.tangent)
    return x.level.dual(y, in_array(x.tangent) if is_number else x.tangent)


def number_pull(residuals, y_bar) -> tuple[Any]:
    """Take the cotangent of the number out of that of the array."""
    return (y_bar[()],)
