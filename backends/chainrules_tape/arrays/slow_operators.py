"""Operators that fast dispatch has not found, and what they are for numbers of Python's.

Of two numbers of Python's, an operator is Python's: it raises, rounds and becomes complex where it
does for plain floats, and its result is a number of Python's again (`values.python_numbers`).
Beside numbers and arrays of NumPy's it is a ufunc, and so is every function of NumPy's: the result
is NumPy's. There the float is weak, as plain ones are: an array of float32 stays one.
"""

from collections.abc import Callable
from operator import getitem
from typing import Any

import numpy as np

from chainrules_py.errors import NoRuleError
from chainrules_py.tangents import ZERO
from chainrules_py.values.python_numbers import (
    BY_PYTHON,
    NUMBERS,
    in_pythons_form,
    is_pythons,
)
from chainrules_tape.arrays.fast_lookup import (
    FORWARD,
    REVERSE,
    Direction,
    answers_ufuncs,
    has_the_say,
    is_no_operand,
    run_beside_outer,
)
from chainrules_tape.arrays.operators import Operator
from chainrules_tape.core.dispatch import as_operand
from chainrules_tape.core.duals import Pushforward
from chainrules_tape.core.levels import call_traced
from chainrules_tape.core.tape import Tape
from chainrules_tape.refusals.handles import HANDLES, plain

REALS = NUMBERS - {complex}
# The directions of the levels whose operations beside values of outer levels are looked up.
DIRECTIONS: dict[type, Direction] = {Tape: REVERSE, Pushforward: FORWARD}


def operator_of_numbers(ufunc, make: Callable[[Any], Operator]) -> Operator:
    """The operator of operands of which one is a number: of numbers of Python's it is Python's own.
    `make` makes the operation of a function.
    """
    of_python, of_others = make(BY_PYTHON[ufunc]), make(ufunc)

    def operate(*operands) -> Any:
        classes = tuple(map(type, operands))
        are_pythons = [is_pythons(cls) for cls in classes]
        if all(are_pythons):
            if ufunc is np.power and has_complex_power(*operands):
                base, exponent = operands
                operands = (base + 0j, exponent)  # whose derivative is that of the complex base
            return in_pythons_form(of_python(*operands))
        if "fractions" in [cls.__module__ for cls in classes]:  # which are floats beside floats
            return operate(*map(as_operand, operands))
        if ufunc is np.multiply:
            require_no_sequence(*operands)
        if any(are_pythons) and any(map(is_no_number, classes)):
            return NotImplemented
        return of_others(*operands)

    return operate


def is_no_number(cls: type) -> bool:
    """Whether a class is one of Python's own, and none of numbers: texts, None, lists."""
    return cls.__module__ == "builtins" and cls not in NUMBERS


def has_complex_power(x1, x2) -> bool:
    """Whether a power of two real numbers is complex in Python."""
    base, exponent = plain(x1), plain(x2)
    return type(base) in REALS and type(exponent) in REALS and type(base**exponent) is complex


def general(primal, x1, x2) -> Any:
    """Call an operation of two operands by slow dispatch; lists are arrays, but as an index."""
    if primal is getitem:
        return call_traced(primal, (x1, x2), {})
    if type(x1) in HANDLES and type(x2) in HANDLES:
        return beside_outer(primal, x1, x2)
    constant = x2 if type(x1) in HANDLES else x1
    if has_the_say(constant, primal) or is_no_operand(constant):
        return NotImplemented
    try:
        return call_traced(primal, (as_operand(x1), as_operand(x2)), {})
    except NoRuleError:
        if answers_ufuncs(constant):
            return NotImplemented
        raise


def require_no_sequence(x1, x2) -> None:
    """Raise for a list or tuple times a traced number."""
    for one, other in ((x1, x2), (x2, x1)):
        if type(one) in (list, tuple) and type(other) in HANDLES and other.is_number:
            kind = type(one).__name__
            raise TypeError(
                f"can't multiply a {kind} by a number: Python repeats it, by integers only;"
                " numpy.multiply is the product of all entries"
            )


def beside_outer(primal, x1, x2) -> Any:
    """Call an operation of two traced values, of which one belongs to an outer level: it is a
    constant. 9 us less than slow dispatch.
    """
    pattern = 1 if x1.level.serial > x2.level.serial else 2
    level = (x1 if pattern == 1 else x2).level
    direction = DIRECTIONS.get(type(level))
    if direction is None or level.written is not None or x1.level is x2.level:
        return call_traced(primal, (x1, x2), {})

    # The program may write to the outer value later: the rule gets a handle of its own on it.
    own, outer = (x1, x2.resolved(level)) if pattern == 1 else (x2, x1.resolved(level))
    values = (own.value, outer) if pattern == 1 else (outer, own.value)
    key = (primal, *map(type, values), pattern, "outer")
    try:
        run = level.stages[key]
    except KeyError:
        run = run_beside_outer(direction, level, key, *values)
    if run is None:
        return call_traced(primal, (x1, x2), {})
    if direction is REVERSE:
        y, pull, residuals = run(*values)
        parents = own.slot if pattern == 1 else ~own.slot
        return y if pull is None else level.wrap(primal, y, pull, residuals, parents)
    dots = (own.tangent, ZERO) if pattern == 1 else (ZERO, own.tangent)
    return level.wrap(primal, *run(dots, *values))
