"""Python's operators as functions of numbers in NumPy's form: they raise, round and become complex
where Python's floats do.

A rule computes with `float64`, which has a dtype, and gives inf or nan where Python raises. So
engines hand it the values of traced floats in this form, and compute them by the functions here.
Each is made of the ufunc whose derivative it has, as a primitive is of its function (`made_of`):
the table finds the rule of the ufunc, which calls the function for the value.
"""

import operator
from functools import partial
from typing import Any

import numpy as np
from numpy import complex128, float64

from chainrules_py.annotations import Function
from chainrules_py.values.arrays import call_on_numbers
from chainrules_py.values.operators import BINARY, COMPARISONS, UNARY

NUMBERS = frozenset({float, int, bool, complex})  # Python's own, of which `float64` is a subclass
NUMPYS = NUMBERS | {np.ndarray, float64, complex128}


def in_numpys_form(x) -> Any:
    """A float or complex number of Python's as NumPy's, of which a traced one stays traced.

    >>> in_numpys_form(0.5), in_numpys_form(2)
    (np.float64(0.5), 2)
    """
    cls = type(x)
    if cls is float:
        return float64(x)
    if cls is complex:
        return complex128(x)
    if cls is tuple:
        return tuple(map(in_numpys_form, x))
    convert = getattr(cls, "in_numpys_form", None)
    return x if convert is None else convert(x)


def in_pythons_form(x) -> Any:
    """A number of NumPy's as Python's, of which a traced one stays traced.

    >>> in_pythons_form(np.float64(0.5)), in_pythons_form((np.float64(2.0), True))
    (0.5, (2.0, True))
    """
    cls = type(x)
    if cls is float64:
        return float(x)
    if cls is complex128:
        return complex(x)
    if cls is tuple:
        return tuple(map(in_pythons_form, x))
    convert = getattr(cls, "in_pythons_form", None)
    return x if convert is None else convert(x)


def is_pythons(cls: type) -> bool:
    """Whether values of a class are numbers of Python's, or stand for some."""
    if cls in NUMBERS:
        return True
    if issubclass(cls, int | float | complex):
        return not issubclass(cls, np.generic)
    return getattr(cls, "is_pythons", False)


def computed_by_python(function: Function, ufunc) -> Any:
    """Make the function that computes a ufunc of numbers by a function of Python's."""

    def compute(*args) -> Any:
        for x in args:
            cls: Any = type(x)
            if hasattr(cls, "__chainrules_call__"):
                return x.__array_ufunc__(compute, "__call__", *args)
        return in_numpys_form(function(*map(in_pythons_form, args)))

    made: Any = compute
    made.__name__ = made.__qualname__ = f"python_{ufunc.__name__}"
    made.__chainrules_primal__ = made.__wrapped__ = ufunc
    made.nin, made.nout = ufunc.nin, ufunc.nout
    return made


# matrices are no numbers
OPERATORS = {
    name: ufunc for name, ufunc in (BINARY | COMPARISONS | UNARY).items() if name != "matmul"
}
# The function of numbers that computes a ufunc as Python's operator does.
BY_PYTHON: dict[Any, Any] = {
    ufunc: computed_by_python(getattr(operator, name), ufunc) for name, ufunc in OPERATORS.items()
}
OF_PYTHON = {function: ufunc for ufunc, function in BY_PYTHON.items()}


def function_of_math(function, ufunc) -> Any:
    """The function of numbers that computes a ufunc as a function of `math` does, made once.

    >>> import math
    >>> function_of_math(math.exp, np.exp)(float64(0.0))
    np.float64(1.0)
    """
    found = BY_PYTHON.get(function)
    if found is None:
        of_all = partial(call_on_numbers, function)
        found = BY_PYTHON.setdefault(function, computed_by_python(of_all, ufunc))
        found.of_lanes = of_lanes_by_python(found, function)
        OF_PYTHON[found] = ufunc
    return found


def of_lanes_by_python(compute: Any, function) -> Function:
    """Make the function that computes a ufunc of numbers in lanes by a function of `math`, which is
    called once for each lane.
    """
    call_each = np.frompyfunc(function, compute.nin, compute.nout)

    def of_lanes(*args) -> Any:
        found = call_each(*args) if NUMPYS.issuperset(map(type, args)) else NotImplemented
        return np.array(found.tolist()) if type(found) is np.ndarray else compute(*args)

    return of_lanes


def ufunc_of(primal) -> Any:
    """The ufunc that a function computes by Python; any other function itself."""
    return OF_PYTHON.get(primal, primal)
