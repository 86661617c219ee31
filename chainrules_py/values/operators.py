"""Python's operators by name, with the ufunc that each of them is on arrays.

Classes like NumPy's arrays or Python's numbers define them from here.
"""

import operator
from typing import Any

import numpy as np

BINARY: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "matmul": np.matmul,
    "pow": np.power,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
}
# Of booleans and integers, which have no derivative.
BITWISE: dict[str, Any] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "lshift": np.left_shift,
    "rshift": np.right_shift,
}
COMPARISONS: dict[str, Any] = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
# Of a comparison, that of the same operands the other way round.
MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
UNARY: dict[str, Any] = {"neg": np.negative, "pos": np.positive, "abs": np.absolute}
# How a program writes them; ``abs(x)`` has no sign.
SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
    "neg": "-",
    "pos": "+",
    "invert": "~",
}
# Python's functions that call the operators, with the ufuncs.
UFUNCS: dict[Any, Any] = {
    getattr(operator, f"__{name}__"): ufunc
    for name, ufunc in (BINARY | BITWISE | COMPARISONS | UNARY).items()
}
UFUNCS[divmod] = np.divmod
# The other way round.
PYTHONS = {ufunc: function for function, ufunc in UFUNCS.items()}
