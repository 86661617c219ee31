"""Python's operators of traced values: which ufunc each of them is, and a decorator that defines them."""

import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from chainrules_py.tangents import AbstractTangent
from chainrules_tape.core.dispatch import as_operand
from chainrules_tape.core.levels import call

BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "matmul": np.matmul,
    "pow": np.power,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "divmod": np.divmod,
}
COMPARISONS = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
# The function of Python's that calls the operator.
PYTHONS = {
    ufunc: getattr(operator, f"__{name}__", divmod)
    for name, ufunc in (BINARY | COMPARISONS).items()
}
UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute}

Class = TypeVar("Class", bound=type)
Operator = Callable[..., Any]


def operators(
    unary: Callable[[Any], Operator], binary: Callable[[Any], Operator]
) -> Callable[[Class], Class]:
    """Decorate a class of handles, to which it gives Python's operators.

    `unary` and `binary` make the operator of a ufunc with one or two arguments.
    """

    def define(cls: Class) -> Class:
        for name, ufunc in UNARY.items():
            setattr(cls, f"__{name}__", unary(ufunc))
        for name, ufunc in (BINARY | COMPARISONS).items():
            setattr(cls, f"__{name}__", binary(ufunc))
        for name in BINARY:
            setattr(cls, f"__r{name}__", reflected(getattr(cls, f"__{name}__")))
        return cls

    return define


def reflected(operation: Operator) -> Operator:
    """The operation with its operands exchanged."""
    return lambda self, other: operation(other, self)


# The slow path


def slow_unary(ufunc: Any) -> Operator:
    """The operator ``-x`` or the like of any traced value."""
    return lambda self: call(ufunc, (self,), {})


def slow_binary(ufunc: Any) -> Operator:
    """The operator ``x @ other`` or the like; special tangents have the say about those with them."""

    def operate(x1: Any, x2: Any) -> Any:
        if issubclass(type(x1), AbstractTangent) or issubclass(type(x2), AbstractTangent):
            return NotImplemented
        return call(ufunc, (as_operand(x1), as_operand(x2)), {})

    return operate


def slow_getitem(self: Any, index: Any) -> Any:
    """Read entries, ``x[index]``, of any traced value."""
    return call(operator.getitem, (self, index), {})
