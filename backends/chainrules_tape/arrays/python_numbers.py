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

from chainrules_py.values.operators import COMPARISONS, UNARY
from chainrules_py.values.python_numbers import (
    BY_PYTHON,
    in_numpys_form,
    in_pythons_form,
    is_pythons,
)
from chainrules_tape.arrays.fast_dispatch import (
    DUALS,
    HANDLES,
    general,
    require_no_sequence,
)
from chainrules_tape.arrays.fast_lookup import decides_by_itself, is_no_operand
from chainrules_tape.arrays.operators import BINARY, reflected
from chainrules_tape.core.dispatch import takes_part_in_dtypes
from chainrules_tape.refusals.handles import PYTHONS, TracedArray, plain

Operator = Callable[..., Any]


def define_python_operators(cls: type, unary, binary) -> None:
    """Define the operators of a class of handles on numbers of Python's.

    `unary` and `binary` make the operation of a function of `BY_PYTHON`; `binary` is given the
    ufunc, too, and what computes all calls of that which it does not know.
    """
    for name, ufunc in UNARY.items():
        setattr(cls, f"__{name}__", unary(BY_PYTHON[ufunc]))
    for name, ufunc in (BINARY | COMPARISONS).items():
        if name == "matmul":
            continue
        operation = binary(BY_PYTHON[ufunc], ufunc, slowly_by_python)
        if name == "pow":
            operation = power(operation)
        setattr(cls, f"__{name}__", operation)
        if name in BINARY:
            setattr(cls, f"__r{name}__", reflected(operation))


def slowly_by_python(ufunc, x1, x2):
    """Compute an operation of two operands that fast dispatch has not found, one of them Python's."""
    x1, x2 = without_fraction(x1), without_fraction(x2)
    if is_pythons(type(x1)) and is_pythons(type(x2)):
        for x in (x1, x2):
            if has_escaped(x):
                return x.level.call(ufunc, (x1, x2), {})  # which says where it was kept
        y = general(BY_PYTHON[ufunc], in_numpys_form(x1), in_numpys_form(x2))
        return in_pythons_form(y)
    if ufunc is np.multiply:
        require_no_sequence(x1, x2)
    other = x2 if type(x1) in PYTHONS else x1
    is_left = is_no_operand(other) and not decides_by_itself(other, ufunc)
    if is_left or isinstance(other, list | tuple):
        return NotImplemented
    return beside_numpys(ufunc, x1, x2)


def has_escaped(x) -> bool:
    """Whether a value is traced, and its derivative has been taken already."""
    return type(x) in PYTHONS and x.level.closed


def without_fraction(x) -> Any:
    """An operand with the float that a fraction is beside floats."""
    return float(x) if type(x).__module__ == "fractions" else x


def beside_numpys(ufunc, x1, x2) -> Any:
    """Compute a ufunc of a traced number of Python's and a value of NumPy's, traced or not."""
    if not takes_part_in_dtypes(x1) and not takes_part_in_dtypes(x2):
        x1, x2 = of_numpy(x1), of_numpy(x2)
        handle = x1 if issubclass(type(x1), TracedArray) else x2
        return handle.__array_ufunc__(ufunc, "__call__", x1, x2)
    other = x2 if type(x1) in PYTHONS else x1
    if type(other) in HANDLES or type(other) in DUALS:
        return other.__array_ufunc__(ufunc, "__call__", x1, x2)
    return general(ufunc, x1, x2)


def beside_numpys_by(binary) -> Callable[[Any], Operator]:
    """Return the maker of operations of ufuncs with two operands, one of them a traced number of
    Python's; `binary` makes one of the ufunc and its slow dispatch.
    """
    return lambda ufunc: binary(ufunc, ufunc, beside_numpys)


def of_numpy(x) -> Any:
    """A traced number of Python's as NumPy's; anything else as it is."""
    return in_numpys_form(x) if issubclass(type(x), TracedArray) else x


def power(operation: Operator) -> Operator:
    """The power, of which a negative base and a broken exponent make a complex number.

    Its derivative is that of the complex base.
    """

    def raised(x1, x2, modulus: Any = None):
        if modulus is not None:
            raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
        if type(x2) is not int and has_complex_power(x1, x2):
            x1 = x1 + 0j
        return operation(x1, x2)

    return raised


def has_complex_power(x1, x2) -> bool:
    """Whether a power of two real numbers is complex in Python."""
    base, exponent = plain(x1), plain(x2)
    if not isinstance(base, float | int) or not isinstance(exponent, float | int):
        return False
    is_finite = abs(exponent) < math.inf and base > -math.inf
    return bool(is_finite and base < 0 and exponent % 1 != 0)
