"""Fast dispatch of operators, ufuncs, functions and methods, on a tape and in forward mode; of
functions and methods in lanes, too (`lanes.dispatch`).

Each call makes a key of the function and the classes of its operands, finds in one dictionary what
differentiates such calls (`level.stages`), runs it, and wraps the result. The key is

    (primal, handle, class)                   one operand: the classes of its handle and its value
    (primal, handle, class, handle, class)    two; of a constant, None stands for the handle
    (None, function, class, ..., option names)    a function; each constant's class is followed by None

Single numbers come here where `numbers` has written nothing for them. The rules of NumPy's functions
are given NumPy's numbers in the place of Python's (`core.plans`), but beside arrays: there, these
are weak.

What the key does not tell takes slow dispatch, `levels.call`: values of several levels,
containers, special tangents. What is found for a key is in `fast_lookup`. The operations of one and
two operands are written out for either direction, because a call more in them is 4 % of an
operation at size 1. Until the rule, an operator takes 0.5 us and a function 1.5 us.
"""

from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

import numpy as np
from numpy import float64, ndarray

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.tangents import ZERO
from chainrules_tape.arrays.fast_lookup import (
    FORWARD,
    REVERSE,
    Body,
    Direction,
    find_operator,
    find_plan,
)
from chainrules_tape.arrays.protocols import Operation, array_function, array_ufunc
from chainrules_tape.arrays.slow_operators import general
from chainrules_tape.core.dispatch import Derivative
from chainrules_tape.core.duals import HANDLE_OF as DUAL_OF, HANDLES as DUALS
from chainrules_tape.core.levels import SlowDispatch, call_traced
from chainrules_tape.core.tape import HANDLE_OF, HANDLES, Tape
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.interrupts import notice

# Classes of constants that hold no traced value, and that no array library but NumPy has to be
# asked about.
CONSTANTS = frozenset(
    {
        np.ndarray,
        np.float64,
        np.int64,
        np.bool,
        float,
        int,
        bool,
        complex,
        str,
        NoneType,
        slice,
        type,
        *(type(np.dtype(kind)) for kind in "?bhilqBHILQefdgFDG"),
    }
)
INTEGERS = frozenset({int})
TUPLES = frozenset({tuple})
OPTIONS = CONSTANTS - {np.ndarray}
ENTRIES = 1000  # at most that a tape keeps, of 100 bytes each

_new: Any = object.__new__  # module globals: an attribute costs 20 ns more
NATURAL = frozenset({ndarray, float64})
# Classes of tangents that a handle can hold as they are; `handles` adds those in lanes.
TANGENTS: set[type] = {ndarray, float64}


# Operators and ufuncs: one and two operands


def unary_on_tape(primal) -> Operation:
    """Make the operation of a primal with one argument, a handle of a tape."""

    def operation(x) -> Any:
        tape = x.level
        value = x.value
        try:
            stage = tape.stages[primal, type(x), type(value)]
        except KeyError:
            stage = find_operator(REVERSE, tape, (primal, type(x), type(value)), value)
        if stage is None:
            return call_traced(primal, (x,), {})
        try:
            y, pull, residuals = stage(value)
        except SlowDispatch:
            return call_traced(primal, (x,), {})
        if pull is None:  # of a function without derivative: a constant
            return y
        # `record` written out, 60 ns less, and 40 ns less than calling the class
        y_traced = _new(HANDLE_OF[type(y)])
        y_traced.value = y
        pulls = tape.pulls
        y_traced.slot = len(pulls)
        y_traced.level = tape
        pulls.append(pull)
        tape.residuals.append(residuals)
        tape.parents.append(x.slot)
        return y_traced

    return operation


def binary_on_tape(primal) -> Operation:
    """Make the operation of a primal with two arguments, at least one of them a handle of a tape."""

    def operation(x1, x2) -> Any:
        key: Any
        parents: Any
        cls1, cls2 = type(x1), type(x2)
        if cls1 in HANDLES:
            tape = x1.level
            value1 = x1.value
            if cls2 in HANDLES and x2.level is tape:
                value2 = x2.value
                key = (primal, cls1, type(value1), cls2, type(value2))
                parents = (x1.slot, x2.slot)
            else:
                value2 = x2
                key = (primal, cls1, type(value1), None, cls2)
                parents = x1.slot
        else:
            tape = x2.level
            value1, value2 = x1, x2.value
            key = (primal, None, cls1, cls2, type(value2))
            parents = ~x2.slot
        try:
            stage = tape.stages[key]
        except KeyError:
            stage = find_operator(REVERSE, tape, key, value1, value2)
        if stage is None:
            return general(primal, x1, x2)
        try:
            y, pull, residuals = stage(value1, value2)
        except SlowDispatch:
            return general(primal, x1, x2)
        if pull is None:
            return y
        # `record` written out
        y_traced = _new(HANDLE_OF[type(y)])
        y_traced.value = y
        pulls = tape.pulls
        y_traced.slot = len(pulls)
        y_traced.level = tape
        pulls.append(pull)
        tape.residuals.append(residuals)
        tape.parents.append(parents)
        return y_traced

    return operation


def reading_once(getitem: Operation) -> Operation:
    """Make the operation ``x[index]`` of a tape, by which entries that are numbers are read once
    while nothing is written to.
    """

    def read(x, index) -> Any:
        cls = type(index)
        if cls is not int and (cls is not tuple or not INTEGERS.issuperset(map(type, index))):
            return getitem(x, index)
        tape = x.level
        if type(tape) is not Tape or tape.written is not None:
            return getitem(x, index)
        key = x.slot, index
        y = tape.entries.get(key)
        if y is None:
            y = getitem(x, index)
            if len(tape.entries) == ENTRIES:
                tape.entries.clear()
            if type(y) is HANDLE_OF.number:
                tape.entries[key] = y
        return y

    return read


def unary_forward(primal) -> Operation:
    """Make the operation of a primal with one argument, a handle of forward mode."""

    def operation(x) -> Any:
        level = x.level
        value = x.value
        try:
            run = level.stages[primal, type(x), type(value)]
        except KeyError:
            run = find_operator(FORWARD, level, (primal, type(x), type(value)), value)
        if run is None:
            return call_traced(primal, (x,), {})
        try:
            y, y_dot = run((x.tangent,), value)
        except SlowDispatch:
            return call_traced(primal, (x,), {})
        if type(y_dot) not in TANGENTS or type(y) not in NATURAL:
            return level.wrap(primal, y, y_dot)
        y_dual = _new(DUAL_OF[type(y)])  # `wrap` written out
        y_dual.value, y_dual.tangent, y_dual.level = y, y_dot, level
        return y_dual

    return operation


def binary_forward(primal) -> Operation:
    """Make the operation of a primal with two arguments, one or both handles of forward mode."""

    def operation(x1, x2) -> Any:
        key: Any
        cls1, cls2 = type(x1), type(x2)
        if cls1 in DUALS:
            level = x1.level
            value1, dot1 = x1.value, x1.tangent
            if cls2 in DUALS and x2.level is level:
                value2, dot2 = x2.value, x2.tangent
                key = (primal, cls1, type(value1), cls2, type(value2))
            else:
                value2, dot2 = x2, ZERO
                key = (primal, cls1, type(value1), None, cls2)
        else:
            level = x2.level
            value1, dot1, value2, dot2 = x1, ZERO, x2.value, x2.tangent
            key = (primal, None, cls1, cls2, type(value2))
        try:
            run = level.stages[key]
        except KeyError:
            run = find_operator(FORWARD, level, key, value1, value2)
        if run is None:
            return general(primal, x1, x2)
        try:
            y, y_dot = run((dot1, dot2), value1, value2)
        except SlowDispatch:
            return general(primal, x1, x2)
        if type(y_dot) not in TANGENTS or type(y) not in NATURAL:
            return level.wrap(primal, y, y_dot)
        y_dual = _new(DUAL_OF[type(y)])
        y_dual.value, y_dual.tangent, y_dual.level = y, y_dot, level
        return y_dual

    return operation


def ufunc_of(unary: Callable[[Any], Operation], binary: Callable[[Any], Operation]) -> Operation:
    """Make the ``__array_ufunc__`` of a class of handles.

    Ufuncs of one or two arguments without options are dispatched fast.
    """
    makers = {1: unary, 2: binary}
    operations: dict[Any, Operation | None] = {}

    def ufunc_of_class(self: TracedArray, ufunc, method: str, *inputs, **options):
        if method == "__call__" and not options:
            try:
                operation = operations[ufunc]
            except KeyError:
                make = makers.get(len(inputs))
                operation = operations.setdefault(ufunc, make and make(ufunc))
            if operation is not None:
                return operation(*inputs)
        return array_ufunc(self, ufunc, method, *inputs, **options)

    return ufunc_of_class


# Functions and methods


def function_of(direction: Direction, finish: Function) -> Operation:
    """Make the ``__array_function__`` of a direction, which is that of methods, without `types`.

    Its calls are read, their plan is looked up, and it is run:

    ============  ==============================================  =================================
    argument      handle of this level; constant or shape         list or tuple (`read_sequence`)
    option        number, text or the like                        array, list of axes (`own_options`)
    plan          a body of other functions: `run_body`           a rule: `finish`
    ============  ==============================================  =================================

    All else raises `SlowDispatch`, and goes to `array_function`, which takes all calls. `finish`
    runs the rule and wraps its result, and gets the first traced argument, too. This is one piece,
    because it runs once per operation.
    """
    handles = direction.handles.classes
    mode_data_of = direction.mode_data
    nothing = direction.nothing

    def call_function(self: TracedArray, primal, types, args: Args, options: Options) -> Any:
        notice()  # what came while NumPy asked for the class of an argument
        level, asked = self.level, options
        try:
            # The arguments: their classes, their values beneath the level, and their slots or
            # tangents, the data of the mode. A ufunc called as a function has a key of its own.
            key: list[Any] = [None, primal]
            values: list[Any] = []
            mode_data: list[Any] = []
            for arg in args:
                cls = type(arg)
                if cls in handles and arg.level is level:
                    value = arg.value
                    key.append(type(value))
                    values.append(value)
                    mode_data.append(mode_data_of(arg))
                elif cls in CONSTANTS or (cls is tuple and is_shape(arg)):
                    key += (cls, None)
                    values.append(arg)
                    mode_data.append(nothing)
                else:
                    read_sequence(direction, level, arg, key, values, mode_data)

            # The options, which nothing is differentiated by.
            holds_arrays = False
            for option in options.values():
                if type(option) not in OPTIONS:  # rare, and so looked at in a call of its own
                    options, holds_arrays = own_options(options)
                    break

            signature = (*key, *options)
            try:
                plan = level.stages[signature]
                if plan is None and options:  # those that become arguments: by their classes
                    plan = level.stages[*signature, *map(type, options.values())]
            except KeyError:
                plan = find_plan(direction, level, signature, primal, values, mode_data, options)
            if plan is None:
                raise SlowDispatch

            # The arguments where the rule wants them, without data of the mode for defaults.
            bound, arrange, is_rewritten = plan
            if holds_arrays and is_rewritten:
                raise SlowDispatch  # of an option that becomes an argument, the key tells no class
            is_body = type(bound) is Body
            arguments: Sequence[Any] = args if is_body else values
            if arrange is not None:
                arguments, options = arrange(arguments, options)
            if is_body:
                return level.run_body(bound.primal, bound.run, arguments, options)
            if arrange is not None and (missing := len(arguments) - len(mode_data)):
                mode_data += [nothing] * missing
                del mode_data[len(arguments) :]

            # A copy of what the program may overwrite before the pullback reads it.
            run, _, rule_plan, moves_arrays = bound
            if holds_arrays or moves_arrays:
                run, options = direction.owning(rule_plan, run, options)
            return finish(level, primal, run, arguments, options, mode_data, self)
        except SlowDispatch:
            pass
        return array_function(self, primal, types, args, asked)

    return call_function


def primitive_of(function: Operation) -> Operation:
    """Make the ``__chainrules_call__`` of a direction, given its function for NumPy's functions."""

    def primitive(self: TracedArray, primal, args: Args, options: Options):
        # of NumPy's functions alone it is known what `out` means
        if "out" in options or not self.level.has_fast_primitives:
            return call_traced(primal, args, options)
        return function(self, primal, (), args, options)

    return primitive


def is_shape(x: tuple[Any, ...]) -> bool:
    """Tell whether a tuple holds nothing but integers, as shapes and axes do, or tuples of such, as
    pairs of axes and paddings do.
    """
    return INTEGERS.issuperset(map(type, x)) or (
        TUPLES.issuperset(map(type, x)) and all(INTEGERS.issuperset(map(type, part)) for part in x)
    )


def read_sequence(
    direction: Direction, level: Derivative, arg, key: list[Any], values: list[Any], mode_data
) -> None:
    """Read an argument that is a list or tuple of arrays, some of which are the level's, or of
    integers, such as axes.
    """
    cls, handles = type(arg), direction.handles.classes
    parts = {}
    for position, part in enumerate(arg if cls is list or cls is tuple else ()):
        if type(part) in handles and part.level is level:
            parts[position] = direction.mode_data(part)
        elif type(part) is not ndarray:
            parts = {}
            break
    if not parts:
        values.append(own_axes(arg))
        key += (cls, None)
        mode_data.append(direction.nothing)
        return
    key.append(cls)
    own = [part.value if type(part) in handles else part for part in arg]
    values.append(own if cls is list else tuple(own))  # NumPy looks into some tuples
    mode_data.append(direction.together(parts, len(arg)))


def own_axes(x) -> Any:
    """Copy a list or tuple of integers, or of such, which its owner may change before the sweep;
    anything else takes slow dispatch.
    """
    cls = type(x)
    if cls is not list and cls is not tuple:
        raise SlowDispatch
    return cls([part if type(part) is int else own_axes(part) for part in x])


def own_options(options: Options) -> tuple[dict[str, Any], bool]:
    """Return options with copies of their lists of integers, and whether some are arrays of NumPy's;
    others than these take slow dispatch.
    """
    own = {
        name: x if type(x) in OPTIONS or type(x) is ndarray else own_axes(x)
        for name, x in options.items()
    }
    return own, ndarray in map(type, own.values())


def recorded_operation(
    tape: Tape,
    primal,
    stage,
    values: Sequence[Any],
    options: Options,
    slots: list[Any],
    x,
) -> Any:
    """Run the rule of a function, and record the result on the tape."""
    y, pull, residuals = stage(*values, **options)
    if pull is None:
        return y
    parent: Any = slots[0]
    if type(parent) is not int or slots.count(None) < len(slots) - 1:
        parent = tuple(slots)
    if type(y) is float64 or (type(y) is ndarray and y.dtype.kind == "f"):
        return tape.record(y, pull, residuals, parent)
    return tape.wrap(primal, y, pull, residuals, parent)


def pushed_operation(
    level,
    primal,
    run,
    values: Sequence[Any],
    options: Options,
    dots: list[Any],
    x,
) -> Any:
    """Run the rule of a function, and wrap its result with the tangent."""
    y, y_dot = run(tuple(dots), *values, **options)
    if type(y_dot) not in TANGENTS or type(y) is not ndarray or y.dtype.kind != "f":
        return level.wrap(primal, y, y_dot)
    y_dual = _new(DUAL_OF.array)  # `wrap` written out, as for operators
    y_dual.value, y_dual.tangent, y_dual.level = y, y_dot, level
    return y_dual
