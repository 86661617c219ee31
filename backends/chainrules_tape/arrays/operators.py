"""Python's operators of traced values: the ufunc that each of them is, and their definition."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.values import operators
from chainrules_py.values.operators import BITWISE, COMPARISONS, UNARY
from chainrules_tape.arrays.fast_lookup import is_no_operand
from chainrules_tape.core.dispatch import as_operand
from chainrules_tape.core.levels import call_traced

BINARY: dict[str, Any] = {**operators.BINARY, "divmod": np.divmod}
Operator = Function


def define_operators(
    cls: type,
    unary: Callable[[Any], Operator],
    binary: Callable[[Any], Operator],
    getitem: Operator,
) -> None:
    """Define Python's operators of a class of handles.

    `unary` and `binary` make the operator of a ufunc with one or two arguments.
    """
    operations: dict[str, Operator] = {"getitem": getitem}
    for name, ufunc in UNARY.items():
        operations[name] = unary(ufunc)
    for name, ufunc in (BINARY | COMPARISONS).items():
        operations[name] = binary(ufunc)
    for name in BINARY:
        operations[f"r{name}"] = reflected(operations[name])
    for name, operation in operations.items():
        operation.__qualname__ = name  # which Python's error says of pow(x, 2, 3)
        setattr(cls, f"__{name}__", operation)


def define_logical_operators(cls: type, binary: Callable[[Any], Operator]) -> None:
    """Define ``x & y`` and the like, for a class whose values may be booleans or integers."""
    for name, ufunc in BITWISE.items():
        operation = binary(ufunc)
        setattr(cls, f"__{name}__", operation)
        setattr(cls, f"__r{name}__", reflected(operation))


def reflected(operation: Operator) -> Operator:
    """The operation with its operands exchanged."""
    return lambda self, other: operation(other, self)


# Slow dispatch


def slow_unary(ufunc) -> Operator:
    """The operator ``-x`` or the like of any traced value."""
    return lambda self: call_traced(ufunc, (self,), {})


def slow_binary(ufunc) -> Operator:
    """The operator ``x @ other`` or the like; an operand that is a special tangent decides."""

    def operate(x1, x2):
        if is_no_operand(x1) or is_no_operand(x2):
            return NotImplemented
        return call_traced(ufunc, (as_operand(x1), as_operand(x2)), {})

    return operate


def slow_getitem(self, index):
    """Read entries, ``x[index]``, of any traced value."""
    return call_traced(operator.getitem, (self, index), {})
