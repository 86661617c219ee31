"""The fast way in forward mode: what operators and ufuncs do with this level's values and plain constants.

It is that of a tape (`operations`), with the same keys, and nothing to record: what is found is the rule, which is given the
values and their tangents, and gives both back. Whatever is unusual takes the general way.
"""

from collections.abc import Callable, Sequence
from operator import attrgetter, getitem
from typing import Any

import numpy as np
from numpy import ndarray

from chainrules_py.errors import NoRuleError
from chainrules_py.tangents import ZERO, AbstractTangent, with_entries
from chainrules_tape.arrays.fast_functions import Mode, function_of
from chainrules_tape.arrays.fast_operators import answers_ufuncs, is_unusual
from chainrules_tape.core.duals import HANDLES, DualArray, DualNumber, Pushforward
from chainrules_tape.core.levels import as_operand, call
from chainrules_tape.core.plans import Plan

_new: Any = object.__new__
_NATURAL = frozenset({np.ndarray, np.float64})


def unary_dual(primal: Any, x: Any) -> Any:
    """A primal with one argument, in forward mode."""
    level = x.level
    value = x.value
    try:
        run = level.stages[primal, type(value)]
    except KeyError:
        run = level.stages[primal, type(value)] = look_up(level, primal, (value,), (True,))
    if run is None:
        return call(primal, (x,), {})
    y, y_dot = run((x.tangent,), value)
    if type(y_dot) not in _NATURAL or type(y) not in _NATURAL:
        return level.wrap(primal, y, y_dot)
    made = _new(DualArray if type(y) is ndarray else DualNumber)
    made.value, made.tangent, made.level = y, y_dot, level
    return made


def binary_dual(primal: Any, x1: Any, x2: Any) -> Any:
    """A primal with two arguments, of which one at least is a handle of forward mode."""
    if type(x1) in HANDLES:
        level = x1.level
        value1, dot1 = x1.value, x1.tangent
        if type(x2) in HANDLES and x2.level is level:
            value2, dot2 = x2.value, x2.tangent
            key = (primal, type(value1), type(value2), 3)
        else:
            value2, dot2 = x2, ZERO
            key = (primal, type(value1), type(x2), 1)
    else:
        level = x2.level
        value1, dot1, value2, dot2 = x1, ZERO, x2.value, x2.tangent
        key = (primal, type(x1), type(value2), 2)
    try:
        run = level.stages[key]
    except KeyError:
        run = level.stages[key] = look_up(level, primal, (value1, value2), (key[3] & 1 > 0, key[3] & 2 > 0))
    if run is None:
        return call(primal, (x1, x2), {}) if primal is getitem else call(primal, (as_operand(x1), as_operand(x2)), {})
    y, y_dot = run((dot1, dot2), value1, value2)
    if type(y_dot) not in _NATURAL or type(y) not in _NATURAL:
        return y if y is NotImplemented else level.wrap(primal, y, y_dot)
    made = _new(DualArray if type(y) is ndarray else DualNumber)
    made.value, made.tangent, made.level = y, y_dot, level
    return made


def unary_operator(primal: Any) -> Callable[[Any], Any]:
    """An operator with one operand."""
    return lambda x: unary_dual(primal, x)


def binary_operator(primal: Any) -> Callable[[Any, Any], Any]:
    """An operator with two operands."""
    return lambda x1, x2: binary_dual(primal, x1, x2)


def look_up(level: Pushforward, primal: Any, values: tuple[Any, ...], needs: tuple[bool, ...]) -> Any:
    """What an operator runs for these classes; None where it has to take the general way."""
    constants = [value for value, need in zip(values, needs, strict=True) if not need]
    if any(isinstance(value, AbstractTangent) for value in constants):
        return lambda dots, *values: (NotImplemented, ZERO)  # special tangents have the say about sums with themselves
    if level.closed or is_unusual(primal, constants):
        return None
    try:
        return chosen(level.engine.plan("forward", primal, tuple(map(type, values)), needs))
    except NoRuleError:
        if any(map(answers_ufuncs, constants)):
            return lambda dots, *values: (NotImplemented, ZERO)
        raise


def chosen(plan: Plan) -> Any:
    """What an operation runs: the rule; without derivative, the rule with a tangent that is zero."""
    if plan.differentiable:
        return plan.run
    return lambda dots, *values, **options: (plan.run(dots, *values, **options)[0], ZERO)


def pushed(level: Any, primal: Any, run: Any, values: Sequence[Any], options: dict[str, Any], dots: list[Any]) -> Any:
    """The result of a function, with its tangent."""
    y, y_dot = run(tuple(dots), *values, **options)
    return level.wrap(primal, y, y_dot)


def as_list(dots: dict[int, Any], count: int) -> Any:
    """The tangents of the parts of a sequence as that of a list, which the rule is given."""
    return with_entries(list, {position: dots.get(position, ZERO) for position in range(count)})


FORWARD = Mode("forward", HANDLES, attrgetter("tangent"), ZERO, as_list, chosen, pushed)
function = function_of(FORWARD)
