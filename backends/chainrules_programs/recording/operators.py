"""Python's operators by their names, with the ufuncs that arrays have for them, and their signs.

A power has no ufunc here: the operator takes other paths than that, and the last bit may differ.
"""

import operator
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.values import operators as of_arrays

Operators = dict[str, tuple[Function, Any, str]]


def _signed(ufuncs: dict[str, Any]) -> Operators:
    """Return ufuncs with Python's operators of the same names, and their signs."""
    return {
        name: (getattr(operator, f"__{name}__"), ufunc, of_arrays.SIGNS.get(name, ""))
        for name, ufunc in ufuncs.items()
    }


BINARY = _signed(of_arrays.BINARY | of_arrays.BITWISE) | {
    "pow": (operator.pow, operator.pow, "**"),
    "divmod": (divmod, np.divmod, ""),
}
COMPARISONS = _signed(of_arrays.COMPARISONS)
UNARY = _signed(of_arrays.UNARY | {"invert": np.invert})
PYTHONS = frozenset(python for python, _, _ in (BINARY | COMPARISONS | UNARY).values())


def signs_of(operators: Operators) -> dict[Any, str]:
    """The signs of ufuncs and of Python's own operators, of those that have one."""
    return {
        function: sign
        for python, ufunc, sign in operators.values()
        if sign
        for function in (python, ufunc)
    }
