"""Operators and ufuncs of power series: those of series, arrays and numbers go to the level at once,
all others by slow dispatch.
"""

from typing import Any

from chainrules_tape.arrays.operators import slow_binary, slow_unary
from chainrules_tape.arrays.protocols import Operation
from chainrules_tape.core.series import HANDLES, PLAIN


def unary_of_series(primal: Any) -> Operation:
    """Make the operation of a primal with one argument, a series."""
    slow = slow_unary(primal)

    def operation(x: Any) -> Any:
        return x.level.call(primal, (x,), {}) if type(x) in HANDLES else slow(x)

    return operation


def binary_of_series(primal: Any) -> Operation:
    """Make the operation of a primal with two arguments, at least one of them a series."""
    slow = slow_binary(primal)

    def operation(x1: Any, x2: Any) -> Any:
        if type(x1) in HANDLES:
            if type(x2) in PLAIN or (type(x2) in HANDLES and x2.level is x1.level):
                return x1.level.call(primal, (x1, x2), {})
        elif type(x1) in PLAIN and type(x2) in HANDLES:
            return x2.level.call(primal, (x1, x2), {})
        return slow(x1, x2)

    return operation
