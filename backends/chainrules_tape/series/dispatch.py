"""Operators and ufuncs of power series: those of series, arrays and numbers go to the level at once,
all others by slow dispatch.
"""

from chainrules_py.errors import NoRuleError
from chainrules_py.values.python_numbers import in_numpys_form, in_pythons_form
from chainrules_tape.arrays.fast_lookup import answers_ufuncs, has_the_say
from chainrules_tape.arrays.operators import slow_binary, slow_unary
from chainrules_tape.arrays.protocols import Operation
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.series.level import HANDLES, PLAIN


def unary_of_series(primal) -> Operation:
    """Make the operation of a primal with one argument, a series."""
    slow = slow_unary(primal)

    def operation(x):
        return x.level.call(primal, (x,), {}) if type(x) in HANDLES else slow(x)

    return operation


def unary_of_series_of_python(primal) -> Operation:
    """Make the operation of a function of Python's with one argument, a series."""
    slow = slow_unary(primal)
    return lambda x: in_pythons_form(slow(in_numpys_form(x)))


def binary_of_series_of_python(primal, ufunc, slowly: Operation) -> Operation:
    """Make the operation of a function of Python's with two arguments, at least one a series."""
    return lambda x1, x2: slowly(ufunc, x1, x2)


def binary_of_series(primal) -> Operation:
    """Make the operation of a primal with two arguments, at least one of them a series."""
    slow = slow_binary(primal)

    def operation(x1, x2):
        if type(x1) in HANDLES:
            if type(x2) in PLAIN or (type(x2) in HANDLES and x2.level is x1.level):
                return x1.level.call(primal, (x1, x2), {})
        elif type(x1) in PLAIN and type(x2) in HANDLES:
            return x2.level.call(primal, (x1, x2), {})
        other = x2 if type(x1) in HANDLES else x1
        if not isinstance(other, TracedArray) and has_the_say(other, primal):
            return NotImplemented
        try:
            return slow(x1, x2)
        except NoRuleError:
            if answers_ufuncs(other):
                return NotImplemented
            raise

    return operation
