"""Operators and ufuncs of power series: those of series, arrays and numbers go to the level at once,
all others by slow dispatch.
"""

from chainrules_py.errors import NoRuleError
from chainrules_tape.arrays.fast_lookup import answers_ufuncs, has_the_say
from chainrules_tape.arrays.operators import slow_binary
from chainrules_tape.arrays.protocols import Operation
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.series.level import HANDLES, PLAIN


def unary_of_series(ufunc) -> Operation:
    """Make the operation of a ufunc with one argument, a series."""

    def operation(x):
        return x.level.call(ufunc, (x,), {})

    return operation


def binary_of_series(ufunc) -> Operation:
    """Make the operation of a ufunc with two arguments, at least one of them a series."""
    slow = slow_binary(ufunc)

    def operation(x1, x2):
        if type(x1) in HANDLES:
            if type(x2) in PLAIN or (type(x2) in HANDLES and x2.level is x1.level):
                return x1.level.call(ufunc, (x1, x2), {})
        elif type(x1) in PLAIN and type(x2) in HANDLES:
            return x2.level.call(ufunc, (x1, x2), {})
        other = x2 if type(x1) in HANDLES else x1
        if not isinstance(other, TracedArray) and has_the_say(other, ufunc):
            return NotImplemented
        try:
            return slow(x1, x2)
        except NoRuleError:
            if answers_ufuncs(other):
                return NotImplemented
            raise

    return operation
