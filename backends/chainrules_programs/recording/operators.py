"""Python's operators by their names, with the ufuncs that arrays have for them, and their signs.

A power has no ufunc here: the operator takes other paths than that, and the last bit may differ.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

Operators = dict[str, tuple[Callable[..., Any], Any, str]]

BINARY: Operators = {
    "add": (operator.add, np.add, "+"),
    "sub": (operator.sub, np.subtract, "-"),
    "mul": (operator.mul, np.multiply, "*"),
    "truediv": (operator.truediv, np.divide, "/"),
    "matmul": (operator.matmul, np.matmul, "@"),
    "pow": (operator.pow, operator.pow, "**"),
    "floordiv": (operator.floordiv, np.floor_divide, "//"),
    "mod": (operator.mod, np.remainder, "%"),
    "divmod": (divmod, np.divmod, ""),
    "and": (operator.and_, np.bitwise_and, "&"),
    "or": (operator.or_, np.bitwise_or, "|"),
    "xor": (operator.xor, np.bitwise_xor, "^"),
    "lshift": (operator.lshift, np.left_shift, "<<"),
    "rshift": (operator.rshift, np.right_shift, ">>"),
}
COMPARISONS: Operators = {
    "lt": (operator.lt, np.less, "<"),
    "le": (operator.le, np.less_equal, "<="),
    "gt": (operator.gt, np.greater, ">"),
    "ge": (operator.ge, np.greater_equal, ">="),
    "eq": (operator.eq, np.equal, "=="),
    "ne": (operator.ne, np.not_equal, "!="),
}
UNARY: Operators = {
    "neg": (operator.neg, np.negative, "-"),
    "pos": (operator.pos, np.positive, "+"),
    "abs": (operator.abs, np.absolute, ""),
    "invert": (operator.invert, np.invert, "~"),
}

_ALL = [*BINARY.values(), *COMPARISONS.values(), *UNARY.values()]
PYTHONS = frozenset(python for python, _, _ in _ALL)


def signs_of(operators: Operators) -> dict[Any, str]:
    """The signs of ufuncs and of Python's own operators, of those that have one."""
    return {
        function: sign
        for python, ufunc, sign in operators.values()
        if sign
        for function in (python, ufunc)
    }
