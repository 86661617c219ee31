"""Arrays that hold single numbers: the one that `numpy.where` chooses, and those of a list, as
`numpy.array` and `numpy.stack` make them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrules_py.annotations import Args
from chainrules_py.table.registry import default_rules
from chainrules_tape.arrays.numbers import CONSTANTS, NUMBERS, kind_of
from chainrules_tape.arrays.protocols import Operation
from chainrules_tape.arrays.zero_dimensional import array_of_number
from chainrules_tape.core.partials import BOOLS, DOUBLES
from chainrules_tape.core.tape import Tape


def function_of_numbers(function: Operation) -> Operation:
    """Make the ``__array_function__`` of numbers, given the general one."""

    def answer(self, primal, types, args, options) -> Any:
        if primal is np.where and not options and is_choice(self.level, args):
            condition, x1, x2 = args
            return array_of_number(x1 if condition else x2)
        if primal is np.stack and not options and len(args) == 1:
            stacked = array_of_list(args[0])
            if stacked is not None:
                return stacked
        return function(self, primal, types, args, options)

    return answer


def is_choice(level, args: Args) -> bool:
    """Whether one of two numbers of a kind is chosen by what is not traced."""
    if len(args) != 3 or type(args[0]) not in BOOLS or not is_usual(level):
        return False
    kind = kind_of(args[1])
    return kind not in (None, "i") and kind == kind_of(args[2])


def is_usual(level) -> bool:
    """Whether nothing has to be asked at a level but what is computed."""
    engine = level.engine
    is_plain = engine.table is default_rules and not engine.debug
    return is_plain and not level.closed and level.decisions is None


def array_of_list(values: Sequence[Any]) -> Any:
    """The array of a list of numbers of one tape, in double precision, and of constants; None of any
    other list.
    """
    kinds = set(map(type, values))
    if NUMBERS.isdisjoint(kinds) or not NUMBERS.issuperset(kinds - CONSTANTS):
        return None
    traced = [x for x in values if type(x) in NUMBERS]
    level = traced[0].level
    is_of_one = all(x.level is level and type(x.value) in DOUBLES for x in traced)
    if not is_of_one or type(level) is not Tape or not is_usual(level):
        return None
    numbers = [x.value if type(x) in NUMBERS else x for x in values]
    slots = tuple([x.slot if type(x) in NUMBERS else None for x in values])
    return level.record(np.array(numbers), entries_pull, None, slots)


def entries_pull(residuals, y_bar) -> tuple[Any, ...]:
    """Take the cotangents of numbers out of that of their array."""
    return tuple(y_bar)
