"""Fast dispatch of operators and ufuncs on examples in lanes; functions take slow dispatch.

The keys are those of `fast_dispatch`; what is found for one computes all lanes.
"""

from operator import getitem
from typing import Any

from numpy import matmul, ndarray

from chainrules_py.tangents import AbstractTangent
from chainrules_tape.arrays.fast_dispatch import general
from chainrules_tape.arrays.fast_lookup import decides_by_itself, has_the_say, is_fraction
from chainrules_tape.arrays.protocols import Operation
from chainrules_tape.core.lanes import HANDLES, Lanes, product_with_units
from chainrules_tape.core.levels import call, innermost


def unary_in_lanes(primal: Any) -> Operation:
    """Make the operation of a primal with one argument in lanes."""

    def operation(x: Any) -> Any:
        level, value = x.level, x.value
        try:
            run = level.stages[primal, type(value)]
        except KeyError:
            run = found(level, (primal, type(value)), (value,), (True,))
        if run is None:
            return call(primal, (x,), {})
        y = run(value)
        if type(y) is ndarray and y.ndim and y.shape[0] == level.size:
            return level.handle(y)
        return level.wrap(primal, y)

    return operation


def binary_in_lanes(primal: Any) -> Operation:
    """Make the operation of a primal with two arguments, one or both in lanes."""

    def operation(x1: Any, x2: Any) -> Any:
        if type(x1) in HANDLES:
            level, value1 = x1.level, x1.value
            if type(x2) in HANDLES and x2.level is level:
                value2 = x2.value
                key = (primal, type(value1), type(value2), 3)
            else:
                value2 = x2
                key = (primal, type(value1), type(x2), 1)
        else:
            level, value1, value2 = x2.level, x1, x2.value
            key = (primal, type(x1), type(value2), 2)
        try:
            run = level.stages[key]
        except KeyError:
            lanes = (key[3] != 2, key[3] != 1)
            run = found(level, key, (value1, value2), lanes)
        if run is None:
            return general(primal, x1, x2)
        y = run(value1, value2)
        if type(y) is ndarray and y.ndim and y.shape[0] == level.size:
            return level.handle(y)
        return y if y is NotImplemented else level.wrap(primal, y)

    if primal is not matmul:
        return operation

    def matrix_product(x1: Any, x2: Any) -> Any:
        chosen = product_with_units(x1, x2)
        return operation(x1, x2) if chosen is None else chosen

    return matrix_product


def found(
    level: Lanes, key: tuple[Any, ...], values: tuple[Any, ...], lanes: tuple[bool, ...]
) -> Any:
    """Find what an operator runs for a new key, and store it; None for slow dispatch."""
    primal = key[0]
    constants = [value for value, lane in zip(values, lanes, strict=True) if not lane]
    if level.closed:
        return None
    if any(isinstance(constant, AbstractTangent) for constant in constants):
        run: Any = left_to_the_tangent
    elif any(
        is_fraction(constant)
        or has_the_say(constant, primal)
        or decides_by_itself(constant, primal)
        for constant in constants
    ):
        run = None
    else:
        run = level.engine.table.in_lanes(primal, tuple(map(type, values)), lanes)
    level.stages[key] = run
    return run


def left_to_the_tangent(*operands: Any) -> Any:
    """Let a special tangent say what its sum or product with a value is."""
    return NotImplemented


getitem_of_known = binary_in_lanes(getitem)


def getitem_in_lanes(x: Any, index: Any) -> Any:
    """Read entries; some parts of an index may differ from lane to lane."""
    if type(index) is tuple and innermost(index) is not None:
        return call(getitem, (x, index), {})
    return getitem_of_known(x, index)
