"""The fast way through a tape: what operators and ufuncs do with the tape's own arrays and plain constants.

Each makes a key of the function and the classes of its operands, finds in one dictionary what differentiates that call
(`Tape.stages`), runs it, and records. What the key does not tell takes the general way, `levels.call`: values of several
levels, containers, special tangents. The key is

    (primal, class)                         one operand
    (primal, class, class, pattern)         two, of which bits 1 and 2 of the pattern say which are traced

Per operation at size 1 it costs 0.5 us until the rule: what is not pretty below is measured. Functions are in `functions`.
"""

from collections.abc import Callable, Sequence
from operator import attrgetter, getitem
from typing import Any

import numpy as np
from numpy import float64, ndarray

from chainrules_py.errors import NoRuleError
from chainrules_py.structure import is_container
from chainrules_py.tangents import AbstractTangent
from chainrules_tape.arrays.fast_functions import Mode, function_of
from chainrules_tape.core.errors import raise_escaped_value
from chainrules_tape.core.levels import TracedArray, as_operand, call
from chainrules_tape.core.plans import Plan, constant_stage
from chainrules_tape.core.tape import HANDLE_OF, HANDLES, Tape, TapeArray, TapeNumber, own_list

_new: Any = object.__new__  # a module global: an attribute costs 20 ns more


# Operators and ufuncs


def unary_ufunc(primal: Any, x: Any) -> Any:
    """A primal with one argument, on a tape."""
    tape = x.level
    value = x.value
    try:
        stage = tape.stages[primal, type(value)]
    except KeyError:
        stage = tape.stages[primal, type(value)] = look_up(tape, primal, (x,), (value,), (True,))
    if stage is None:
        return call(primal, (x,), {})
    y, pull, kept = stage(value)
    if pull is None:
        return y
    # 40 ns less than calling the class, and `record` inlined is another 60
    y_traced = _new(TapeArray if type(y) is ndarray else TapeNumber if type(y) is float64 else HANDLE_OF[type(y)])
    y_traced.value = y
    pulls = tape.pulls
    y_traced.slot = len(pulls)
    y_traced.level = tape
    pulls.append(pull)
    tape.kept.append(kept)
    tape.parents.append(x.slot)
    return y_traced


def unary(primal: Any) -> Callable[[Any], Any]:
    """An operator with one operand."""
    return lambda x: unary_ufunc(primal, x)


def binary(primal: Any, own: Any = TapeArray, natural: type = ndarray) -> Callable[[Any, Any], Any]:
    """The operation of a primal with two arguments, at least one of them a handle of the class `own`, on a tape.

    A result that is `natural` has such a handle, too.
    """

    def operation(x1: Any, x2: Any) -> Any:
        parents: Any
        if type(x1) is own:
            tape = x1.level
            value1 = x1.value
            if type(x2) is own and x2.level is tape:
                value2 = x2.value
                key = (primal, type(value1), type(value2), 3)
                parents = (x1.slot, x2.slot)
            else:
                value2 = x2
                key = (primal, type(value1), type(x2), 1)
                parents = x1.slot
        else:
            tape = x2.level
            value1, value2 = x1, x2.value
            key = (primal, type(x1), type(value2), 2)
            parents = ~x2.slot
        try:
            stage = tape.stages[key]
        except KeyError:
            needs = (key[3] & 1 > 0, key[3] & 2 > 0)
            stage = tape.stages[key] = look_up(tape, primal, (x1, x2), (value1, value2), needs)
        if stage is None:
            return unusual(primal, x1, x2)
        y, pull, kept = stage(value1, value2)
        if pull is None:
            return y
        y_traced = _new(own if type(y) is natural else HANDLE_OF[type(y)])
        y_traced.value = y
        pulls = tape.pulls
        y_traced.slot = len(pulls)
        y_traced.level = tape
        pulls.append(pull)
        tape.kept.append(kept)
        tape.parents.append(parents)
        return y_traced

    return operation


def binary_of_numbers(primal: Any) -> Callable[[Any, Any], Any]:
    """The operation of a primal with two arguments, at least one of them a traced number."""
    return binary(primal, TapeNumber, float64)


def unusual(primal: Any, x1: Any, x2: Any) -> Any:
    """An array and a number of one tape; whatever else the key does not tell takes the general way."""
    if type(x1) in HANDLES and type(x2) in HANDLES and x1.level is x2.level:
        tape, value1, value2 = x1.level, x1.value, x2.value
        key = (primal, type(value1), type(value2), 3)
        try:
            stage = tape.stages[key]
        except KeyError:
            stage = tape.stages[key] = look_up(tape, primal, (x1, x2), (value1, value2), (True, True))
        if stage is not None:
            y, pull, kept = stage(value1, value2)
            return y if pull is None else tape.record(y, pull, kept, (x1.slot, x2.slot))
    return call(primal, (x1, x2), {}) if primal is getitem else call(primal, (as_operand(x1), as_operand(x2)), {})


def look_up(tape: Tape, primal: Any, args: tuple[Any, ...], values: tuple[Any, ...], needs: tuple[bool, ...]) -> Any:
    """What an operator runs for these classes; None where it has to take the general way."""
    if tape.closed:
        raise_escaped_value(primal, args[0])
    constants = [value for value, need in zip(values, needs, strict=True) if not need]
    if any(isinstance(value, AbstractTangent) for value in constants):
        return constant_stage(lambda *values: (NotImplemented,))  # special tangents have the say about sums with themselves
    if is_unusual(primal, constants):
        return None
    try:
        stage = tape.engine.stage(primal, tuple(map(type, values)), needs)
    except NoRuleError:
        if any(map(answers_ufuncs, constants)):
            return constant_stage(lambda *values: (NotImplemented,))
        raise
    return reading_by_list(stage) if primal is getitem and type(values[1]) is list else stage


def answers_ufuncs(x: Any) -> bool:
    """Whether an operand of which no rule knows has an answer of its own: it may hold arrays, and reach for traced ones."""
    own = getattr(type(x), "__array_ufunc__", None)
    return own is not None and own is not np.ndarray.__array_ufunc__


def reading_by_list(stage: Any) -> Any:
    """``x[[0, 2]]`` by a copy of the list, which its owner may write to before the sweep."""
    return lambda x, index: stage(x, own_list(index))


def is_unusual(primal: Any, constants: Sequence[Any]) -> bool:
    """Whether an operator has several results, or an operand that takes the general way.

    Among handles of other levels, which level is the inner one depends on the values. What is inside an index is never traced.
    """
    if getattr(primal, "nout", 1) != 1:
        return True
    return any(isinstance(value, TracedArray) or (is_container(value) and primal is not getitem) for value in constants)


# What functions do with what their rules return


def recorded(tape: Tape, primal: Any, stage: Any, values: Sequence[Any], options: dict[str, Any], slots: list[Any]) -> Any:
    """The result of a function, on the tape."""
    y, pull, kept = stage(*values, **options)
    if pull is None:
        return y
    parent: Any = slots[0]
    if type(parent) is not int or slots.count(None) < len(slots) - 1:
        parent = tuple(slots)
    if type(y) is not float64 and (type(y) is not ndarray or y.dtype.kind != "f"):
        return tape.wrap(primal, y, pull, kept, parent)
    y_traced = _new(TapeArray if type(y) is ndarray else TapeNumber)
    y_traced.value = y
    pulls = tape.pulls
    y_traced.slot = len(pulls)
    y_traced.level = tape
    pulls.append(pull)
    tape.kept.append(kept)
    tape.parents.append(parent)
    return y_traced


def staged(plan: Plan) -> Any:
    """What a function runs."""
    return plan.stage if plan.differentiable else constant_stage(plan.run)


REVERSE = Mode("reverse", HANDLES, attrgetter("slot"), None, lambda slots, count: slots, staged, recorded)
function = function_of(REVERSE)
