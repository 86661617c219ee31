"""Operations of traced numbers of Python's.

Beside numbers of Python's, an operator is Python's: it raises, rounds and becomes complex where it
does for plain floats, and its result is a number of Python's again (`values.python_numbers`).
Beside numbers and arrays of NumPy's it is a ufunc, and so is every function of NumPy's: the result
is NumPy's. There the float is weak, as plain ones are: an array of float32 stays one.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.tangents import ZERO, AbstractTangent
from chainrules_py.values.python_numbers import (
    BY_PYTHON,
    in_numpys_form,
    in_pythons_form,
    is_pythons,
)
from chainrules_tape.arrays.fast_dispatch import (
    CONSTANTS,
    DIRECTIONS,
    DUALS,
    HANDLES,
    general,
    require_no_sequence,
)
from chainrules_tape.arrays.fast_lookup import run_by_operator
from chainrules_tape.arrays.operators import BINARY, COMPARISONS, UNARY, reflected
from chainrules_tape.core.dispatch import takes_part_in_dtypes
from chainrules_tape.core.tape import Tape
from chainrules_tape.refusals.handles import PYTHONS, TracedArray, plain

Operator = Callable[..., Any]


def define_python_operators(cls: type, unary: Any, binary: Any) -> None:
    """Define the operators of a class of handles on numbers of Python's.

    `unary` and `binary` make the operation of a function of `BY_PYTHON`; `binary` is given what
    computes all calls that are not of numbers of Python's.
    """
    for name, ufunc in UNARY.items():
        setattr(cls, f"__{name}__", unary(BY_PYTHON[ufunc]))
    for name, ufunc in (BINARY | COMPARISONS).items():
        if name == "matmul":
            continue
        operation = binary(BY_PYTHON[ufunc], slowly_by_python(ufunc))
        if name == "pow":
            operation = power(operation)
        setattr(cls, f"__{name}__", operation)
        if name in BINARY:
            setattr(cls, f"__r{name}__", reflected(operation))


def slowly_by_python(ufunc: Any) -> Operator:
    """The operation of two operands that fast dispatch has not found, one of them Python's."""

    def operate(primal: Any, x1: Any, x2: Any) -> Any:
        if type(x2) is np.ndarray or type(x1) is np.ndarray:  # a parameter beside data
            return beside_arrays(ufunc, x1, x2)
        x1, x2 = without_fraction(x1), without_fraction(x2)
        if is_pythons(type(x1)) and is_pythons(type(x2)):
            for x in (x1, x2):
                if has_escaped(x):
                    return x.level.call(ufunc, (x1, x2), {})  # which says where it was kept
            y = general(primal, in_numpys_form(x1), in_numpys_form(x2))
            return in_pythons_form(y)
        if ufunc is np.multiply:
            require_no_sequence(x1, x2)
        other = x2 if type(x1) in PYTHONS else x1
        if other is None or isinstance(other, NO_OPERANDS):
            return NotImplemented
        return beside_numpys(ufunc, x1, x2)

    return operate


def has_escaped(x: Any) -> bool:
    """Whether a value is traced, and its derivative has been taken already."""
    return type(x) in PYTHONS and x.level.closed


NO_OPERANDS = (str, bytes, list, tuple, dict, set, AbstractTangent)


def without_fraction(x: Any) -> Any:
    """An operand with the float that a fraction is beside floats."""
    return float(x) if type(x).__module__ == "fractions" else x


def beside_numpys(ufunc: Any, x1: Any, x2: Any) -> Any:
    """Compute a ufunc of a traced number of Python's and a value of NumPy's, traced or not."""
    if not takes_part_in_dtypes(x1) and not takes_part_in_dtypes(x2):
        x1, x2 = of_numpy(x1), of_numpy(x2)
        handle = x1 if issubclass(type(x1), TracedArray) else x2
        return handle.__array_ufunc__(ufunc, "__call__", x1, x2)
    return beside_arrays(ufunc, x1, x2)


def beside_numpys_of(ufunc: Any) -> Operator:
    """The operation of a ufunc with two operands, one of them a traced number of Python's."""
    return lambda x1, x2: beside_numpys(ufunc, x1, x2)


def of_numpy(x: Any) -> Any:
    """A traced number of Python's as NumPy's; anything else as it is."""
    return in_numpys_form(x) if issubclass(type(x), TracedArray) else x


def beside_arrays(ufunc: Any, x1: Any, x2: Any) -> Any:
    """Compute a ufunc of a traced number of Python's, which is weak, and an array."""
    value1: Any
    value2: Any
    if type(x1) in PYTHONS and type(x2) in CONSTANTS:
        own, value1, value2, pattern = x1, x1.value, x2, 1
        value1 = value1.item() if type(value1) is np.float64 else in_pythons_form(value1)
    elif type(x2) in PYTHONS and type(x1) in CONSTANTS:
        own, value1, value2, pattern = x2, x1, x2.value, 2
        value2 = value2.item() if type(value2) is np.float64 else in_pythons_form(value2)
    elif type(x1) in HANDLES or type(x1) in DUALS or type(x2) in HANDLES or type(x2) in DUALS:
        handle = x2 if type(x1) in PYTHONS else x1
        return handle.__array_ufunc__(ufunc, "__call__", x1, x2)
    else:
        return general(ufunc, x1, x2)

    level = own.level
    key = (ufunc, type(value1), type(value2), pattern)
    run = level.stages.get(key)
    if run is None:
        direction = DIRECTIONS.get(type(level))
        if direction is None or key in level.stages:
            return general(ufunc, x1, x2)
        run = run_by_operator(direction, level, key, value1, value2)
        if run is None:
            return general(ufunc, x1, x2)
    if type(level) is Tape:
        y, pull, residuals = run(value1, value2)
        if pull is None:
            return y
        return level.record(y, pull, residuals, own.slot if pattern == 1 else ~own.slot)
    dots = (own.tangent, ZERO) if pattern == 1 else (ZERO, own.tangent)
    y, y_dot = run(dots, value1, value2)
    if type(y) is np.ndarray is type(y_dot):
        return level.dual(y, y_dot)
    return level.wrap(ufunc, y, y_dot)


def power(operation: Operator) -> Operator:
    """The power, of which a negative base and a broken exponent make a complex number.

    Its derivative is that of the complex base.
    """

    def raised(x1: Any, x2: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
        if type(x2) is not int and has_complex_power(x1, x2):
            x1 = x1 + 0j
        return operation(x1, x2)

    return raised


def has_complex_power(x1: Any, x2: Any) -> bool:
    """Whether a power of two real numbers is complex in Python."""
    base, exponent = plain(x1), plain(x2)
    if not isinstance(base, float | int) or not isinstance(exponent, float | int):
        return False
    is_finite = abs(exponent) < math.inf and base > -math.inf
    return bool(is_finite and base < 0 and exponent % 1 != 0)
