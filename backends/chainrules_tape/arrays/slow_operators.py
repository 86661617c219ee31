"""Operators that fast dispatch has not found, and what they are for numbers of Python's.

Of two numbers of Python's, an operator is Python's: it raises, rounds and becomes complex where it
does for plain floats, and its result is a number of Python's again (`values.python_numbers`).
Beside numbers and arrays of NumPy's it is a ufunc, and so is every function of NumPy's: the result
is NumPy's. There the float is weak, as plain ones are: an array of float32 stays one.
"""

from operator import getitem
from typing import Any

import numpy as np

from chainrules_py.tangents import ZERO
from chainrules_py.values.operators import COMPARISONS, UNARY
from chainrules_py.values.python_numbers import (
    BY_PYTHON,
    in_numpys_form,
    in_pythons_form,
    is_pythons,
)
from chainrules_tape.arrays.fast_lookup import (
    FORWARD,
    REVERSE,
    Direction,
    run_beside_outer,
)
from chainrules_tape.arrays.operators import BINARY, Operator
from chainrules_tape.core.dispatch import as_operand, takes_part_in_dtypes
from chainrules_tape.core.duals import Pushforward
from chainrules_tape.core.levels import call_traced
from chainrules_tape.core.tape import Tape
from chainrules_tape.refusals.handles import HANDLES, PYTHONS, TracedArray, plain

REALS = frozenset({float, int, bool})  # Python's
NUMBERS = REALS | {complex}
# The directions of the levels whose operations beside values of outer levels are looked up.
DIRECTIONS: dict[type, Direction] = {Tape: REVERSE, Pushforward: FORWARD}


def alone(ufunc, x) -> Any:
    """Call a ufunc of one operand by slow dispatch; of a number of Python's it is NumPy's."""
    if type(x) in PYTHONS:
        return ufunc(of_numpy(x))
    return call_traced(ufunc, (x,), {})


def slowly(primal, x1, x2) -> Any:
    """Call a ufunc of two operands, or read entries, by slow dispatch."""
    is_of_python = type(x1) in PYTHONS or type(x2) in PYTHONS
    if not is_of_python or primal is getitem or any(map(takes_part_in_dtypes, (x1, x2))):
        return general(primal, x1, x2)
    x1, x2 = of_numpy(x1), of_numpy(x2)
    handle = x1 if issubclass(type(x1), TracedArray) else x2
    return handle.__array_ufunc__(primal, "__call__", x1, x2)  # or NotImplemented


def of_numpy(x) -> Any:
    """A traced number of Python's as NumPy's; anything else as it is."""
    return in_numpys_form(x) if issubclass(type(x), TracedArray) else x


def python_operators(cls: Any, unary: Any, binary: Any) -> dict[str, Any]:
    """Make the operators of numbers, over those that a class has for arrays, too: of numbers of
    Python's, these are Python's own. `unary` and `binary` make the operation of a function.
    """
    made: dict[str, Any] = {}
    for name, ufunc in UNARY.items():
        of_python = unary(BY_PYTHON[ufunc])
        made[name] = operator_of_one(of_python, getattr(cls, f"__{name}__"))
    for name, ufunc in (BINARY | COMPARISONS).items():
        if name != "matmul":
            of_python = binary(BY_PYTHON[ufunc])
            made[name] = operator_of_two(ufunc, of_python, getattr(cls, f"__{name}__"))
    return made


def operator_of_one(of_python: Operator, operation: Operator) -> Operator:
    """The operator of a number, given those of numbers of Python's in NumPy's form and of arrays."""

    def operate(x) -> Any:
        if type(x) in PYTHONS:
            return in_pythons_form(of_python(in_numpys_form(x)))
        return operation(x)

    return operate


def operator_of_two(ufunc, of_python: Operator, operation: Operator) -> Operator:
    """The operator of two operands, one of them a number, given those of two numbers of Python's in
    NumPy's form and of arrays.
    """

    def operate(x1, x2) -> Any:
        x1, x2 = without_fraction(x1), without_fraction(x2)
        if is_pythons(type(x1)) and is_pythons(type(x2)):
            for x in (x1, x2):
                if type(x) in PYTHONS and x.level.closed:
                    return x.level.call(ufunc, (x1, x2), {})  # which says where it was kept
            if ufunc is np.power and type(x2) is not int and has_complex_power(x1, x2):
                x1 = x1 + 0j  # a complex number, whose derivative is that of the complex base
            return in_pythons_form(of_python(in_numpys_form(x1), in_numpys_form(x2)))
        if ufunc is np.multiply:
            require_no_sequence(x1, x2)
        classes = (type(x1), type(x2))
        if not PYTHONS.isdisjoint(classes) and any(map(is_no_number, classes)):
            return NotImplemented
        return operation(x1, x2)

    return operate


def is_no_number(cls: type) -> bool:
    """Whether a class is one of Python's own, and none of numbers: texts, None, lists."""
    return cls.__module__ == "builtins" and cls not in NUMBERS


def without_fraction(x) -> Any:
    """An operand with the float that a fraction is beside floats."""
    return float(x) if type(x).__module__ == "fractions" else x


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
    return call_traced(primal, (as_operand(x1), as_operand(x2)), {})


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
