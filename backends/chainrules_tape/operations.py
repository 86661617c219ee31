"""The fast way through a tape: what operators, ufuncs and functions do with the tape's own arrays and plain constants.

Each makes a key of the function and the classes of its operands, finds in one dictionary what differentiates that call
(`Tape.stages`), runs it, and records. What the key does not tell takes the general way, `levels.call`: values of several
levels, containers with anything but this tape's arrays in them, arrays of other kinds. The key of an operator is

    (primal, class)                         one operand
    (primal, class, class, pattern)         two, of which bits 1 and 2 of the pattern say which are traced

and that of a function, where every constant is followed by None, and every sequence of arrays by how many it has,

    (function, class, ..., option names)

Per operation at size 1 an operator costs 0.5 us until the rule, a function 1.5: what is not pretty below is measured.
"""

from collections.abc import Callable, Sequence
from operator import getitem
from types import NoneType
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.callform import Arrangement
from chainrules_py.structure import is_container
from chainrules_py.tangents import AbstractTangent
from chainrules_tape.engine import Plan, constant_stage
from chainrules_tape.levels import TracedArray, as_operand, call
from chainrules_tape.refusals import escaped
from chainrules_tape.reverse import Tape, TapeArray

_new = object.__new__  # a module global: an attribute costs 20 ns more
_ndarray, _float64 = np.ndarray, np.float64

# Classes of constants that hold no traced value, and that no array library but NumPy has to be asked about.
CONSTANTS = frozenset({np.ndarray, np.float64, np.int64, np.bool, float, int, bool, complex, str, NoneType, slice, type})
INTEGERS = frozenset({int})


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
    y_traced = _new(TapeArray)  # 40 ns less than calling the class, and `record` inlined is another 60
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


def binary(primal: Any) -> Callable[[Any, Any], Any]:
    """The operation of a primal with two arguments, at least one of them on a tape."""

    def operation(x1: Any, x2: Any) -> Any:
        parents: Any
        if type(x1) is TapeArray:
            tape = x1.level
            value1 = x1.value
            if type(x2) is TapeArray and x2.level is tape:
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
            parents = (None, x2.slot)
        try:
            stage = tape.stages[key]
        except KeyError:
            needs = (key[3] & 1 > 0, key[3] & 2 > 0)
            stage = tape.stages[key] = look_up(tape, primal, (x1, x2), (value1, value2), needs)
        if stage is None:
            return call(primal, (x1, x2), {}) if primal is getitem else call(primal, (as_operand(x1), as_operand(x2)), {})
        y, pull, kept = stage(value1, value2)
        if pull is None:
            return y
        y_traced = _new(TapeArray)
        y_traced.value = y
        pulls = tape.pulls
        y_traced.slot = len(pulls)
        y_traced.level = tape
        pulls.append(pull)
        tape.kept.append(kept)
        tape.parents.append(parents)
        return y_traced

    return operation


def look_up(tape: Tape, primal: Any, args: tuple[Any, ...], values: tuple[Any, ...], needs: tuple[bool, ...]) -> Any:
    """What an operator runs for these classes; None where it has to take the general way."""
    if tape.closed:
        escaped(primal, args[0])
    constants = [value for value, need in zip(values, needs, strict=True) if not need]
    if any(isinstance(value, AbstractTangent) for value in constants):
        return constant_stage(lambda *values: (NotImplemented,))  # special tangents have the say about sums with themselves
    if is_unusual(primal, constants):
        return None
    return tape.engine.stage(primal, tuple(map(type, values)), needs)


def is_unusual(primal: Any, constants: Sequence[Any]) -> bool:
    """Whether an operator has several results, or an operand that takes the general way.

    Among handles of other levels, which level is the inner one depends on the values. What is inside an index is never traced.
    """
    if getattr(primal, "nout", 1) != 1:
        return True
    return any(isinstance(value, TracedArray) or (is_container(value) and primal is not getitem) for value in constants)


# Functions and methods


class Operation(NamedTuple):
    """What differentiates a call: the rule's form for tapes, and how the call's arguments become the rule's.

    `defaults` are those of the options given. Where none of them is given at its default, and nothing else has to be arranged,
    the options go to the rule as they are.
    """

    stage: Any
    plan: Plan
    arrangement: Arrangement
    as_it_is: bool
    defaults: tuple[tuple[str, Any], ...]


def function(tape: Tape, primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A call of a function whose arguments are this tape's, or constants."""
    key: list[Any] = [primal]
    values: list[Any] = []
    parents: list[Any] = []
    for arg in args:
        cls = type(arg)
        if cls is TapeArray and arg.level is tape:
            value = arg.value
            key.append(type(value))
            values.append(value)
            parents.append(arg.slot)
        elif cls in CONSTANTS or (cls is tuple and is_shape(arg)):
            key += (cls, None)
            values.append(arg)
            parents.append(None)
        elif (cls is list or cls is tuple) and (slots := slots_of_parts(tape, arg)):
            key.append(cls)
            values.append([part.value if type(part) is TapeArray else part for part in arg])
            parents.append(slots)
        else:
            return call(primal, args, options)
    for name, option in options.items():
        if type(option) not in CONSTANTS and not (type(option) is tuple and is_shape(option)):
            return call(primal, args, options)
        key.append(name)
    signature = tuple(key)
    try:
        operation = tape.stages[signature]
    except KeyError:
        operation = tape.stages[signature] = operation_of(tape, primal, args, values, parents, options)
    if operation is None:
        return call(primal, args, options)
    stage, plan, arrangement, as_it_is, defaults = operation
    for name, default in defaults:
        as_it_is = as_it_is and options[name] is not default
    if not as_it_is:
        values, options = arrangement.arrange(values, options)
        del parents[len(values) :]
        if options and tuple(options) not in plan.accepted:
            tape.options(plan, options)
    y, pull, kept = stage(*values, **options)
    if pull is None:
        return y
    parent: Any = parents[0]
    if type(parent) is not int or parents.count(None) < len(parents) - 1:
        parent = tuple(parents)
    if type(y) is not _float64 and (type(y) is not _ndarray or y.dtype.kind != "f"):
        return tape.wrap(primal, y, pull, kept, parent)
    y_traced = _new(TapeArray)
    y_traced.value = y
    pulls = tape.pulls
    y_traced.slot = len(pulls)
    y_traced.level = tape
    pulls.append(pull)
    tape.kept.append(kept)
    tape.parents.append(parent)
    return y_traced


def is_shape(x: tuple[Any, ...]) -> bool:
    """Whether a tuple holds nothing but integers, as shapes and axes do."""
    return INTEGERS.issuperset(map(type, x))


def slots_of_parts(tape: Tape, parts: Sequence[Any]) -> dict[int, int] | None:
    """Where the cotangents of a sequence of this tape's arrays go; None where there is anything but arrays in it."""
    slots = {}
    for position, part in enumerate(parts):
        if type(part) is TapeArray and part.level is tape:
            slots[position] = part.slot
        elif type(part) is not _ndarray:
            return None
    return slots


def operation_of(
    tape: Tape, primal: Any, args: tuple[Any, ...], values: list[Any], parents: list[Any], options: dict[str, Any]
) -> Operation | None:
    """What a function runs for calls of this kind; None where they have to take the general way."""
    if tape.closed:
        escaped(primal, next((arg for arg in args if type(arg) is TapeArray), None))
    arrangement = tape.engine.table.arrangement(primal, len(args), options)
    if arrangement is None or "out" in options:
        return None
    first, (values, _) = values[0], arrangement.arrange(values, options)
    if arrangement.adapt is not None and (values[0] is not first or any(slots is not None for slots in parents[1:])):
        return None  # which of the arguments came to be where is not known
    needs = tuple(slots is not None for slots in parents[: len(values)])
    if any(slots is not None for slots in parents[len(values) :]):
        return None  # an option is traced: the general way says what to write instead
    plan = tape.engine.plan("reverse", arrangement.primal, tuple(map(type, values)), needs)
    stage = plan.stage if plan.differentiable else constant_stage(plan.run)
    taken = plan.rule.options is None or plan.rule.options.issuperset(options)
    if len(values) < len(parents) or arrangement.adapt is not None or not taken:
        return Operation(stage, plan, arrangement, False, ())
    known = arrangement.form.defaults
    return Operation(stage, plan, arrangement, True, tuple((name, known[name]) for name in options if name in known))
