"""Fast dispatch of operators, ufuncs, functions and methods, on a tape and in forward mode; of
functions and methods in lanes, too (`lanes.dispatch`).

Each call makes a key of the function and the classes of its operands, finds in one dictionary what
differentiates such calls (`level.stages`), runs it, and wraps the result. The key is

    (primal, class)                         one operand
    (primal, class, class, pattern)         two, of which bits 1 and 2 of the pattern say which are traced
    (None, function, class, ..., option names)    a function; each constant's class is followed by None

What the key does not tell takes slow dispatch, `levels.call`: values of several levels,
containers, special tangents. What is found for a key is in `fast_lookup`. The operations of one and
two operands are written out for either direction, because a call more in them is 4 % of an
operation at size 1. Until the rule, an operator takes 0.5 us and a function 1.5 us.
"""

from collections.abc import Callable, Sequence
from operator import getitem
from types import NoneType
from typing import Any

import numpy as np
from numpy import float64, ndarray

from chainrules_py.tangents import ZERO
from chainrules_py.values.python_numbers import in_numpys_form, in_pythons_form
from chainrules_tape.arrays.fast_lookup import (
    FORWARD,
    REVERSE,
    Body,
    Direction,
    PlanOf,
    plan_of_function,
    run_beside_outer,
    run_by_operator,
)
from chainrules_tape.arrays.protocols import Operation, array_function, array_ufunc
from chainrules_tape.core import duals, tape
from chainrules_tape.core.dispatch import (
    Derivative,
    are_of_numpy,
    as_given,
    as_operand,
    takes_part_in_dtypes,
)
from chainrules_tape.core.duals import HANDLE_OF as DUAL_OF, Pushforward
from chainrules_tape.core.levels import call
from chainrules_tape.core.tape import HANDLE_OF, Tape
from chainrules_tape.refusals.handles import HANDLES as TRACED, PYTHONS, TracedArray
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
PYTHON_CONSTANTS = frozenset({float, int, bool, complex})
INTEGERS = frozenset({int})
TUPLES = frozenset({tuple})
OPTIONS = CONSTANTS - {np.ndarray}

_new: Any = object.__new__  # module globals: an attribute costs 20 ns more
HANDLES, DUALS = tape.HANDLE_OF.numpys, duals.HANDLE_OF.numpys
NATURAL = frozenset({ndarray, float64})
# Classes of tangents that a handle can hold as they are; `handles` adds those in lanes.
TANGENTS: set[type] = {ndarray, float64}
# The directions of the levels whose operations beside values of outer levels are looked up.
DIRECTIONS: dict[type, Direction] = {Tape: REVERSE, Pushforward: FORWARD}


# Operators and ufuncs: one and two operands


def unary_on_tape(primal, class_of: Any = HANDLE_OF) -> Operation:
    """Make the operation of a primal with one argument, a handle of a tape; `class_of` has the
    class of handles on its results, by theirs.
    """
    array_handle = HANDLE_OF.array

    def operation(x) -> Any:
        tape = x.level
        value = x.value
        try:
            stage = tape.stages[primal, type(value)]
        except KeyError:
            stage = run_by_operator(REVERSE, tape, (primal, type(value)), value)
        if stage is None:
            return call(primal, (x,), {})
        y, pull, residuals = stage(value)
        if pull is None:  # of a function without derivative: a constant
            return y
        # `record` written out, 60 ns less, and 40 ns less than calling the class
        y_traced = _new(array_handle if type(y) is ndarray else class_of[type(y)])
        y_traced.value = y
        pulls = tape.pulls
        y_traced.slot = len(pulls)
        y_traced.level = tape
        pulls.append(pull)
        tape.residuals.append(residuals)
        tape.parents.append(x.slot)
        return y_traced

    return operation


def binary_on_tape(primal, slowly: Any = None) -> Operation:
    """The operation of a primal with two arguments, at least one of them a handle of a tape.

    `slowly` is its slow dispatch, where that is not `general`. A number of Python's is given as
    such, as it is weak beside arrays, but where both values are of double precision. Operators of
    such a number take over where its class is a subclass of that of the other.
    """
    array_handle, slowly = HANDLE_OF.array, slowly or general
    pythons = HANDLE_OF.pythons

    def operation(x1, x2) -> Any:
        parents: Any
        if type(x1) in HANDLES:
            tape = x1.level
            value1 = x1.value
            if type(x2) in HANDLES and x2.level is tape:
                value2 = x2.value
                key = (primal, type(value1), type(value2), 3)
                parents = (x1.slot, x2.slot)
            elif type(x2) in pythons and x2.level is tape:
                value2 = x2.value
                if type(value1) is not float64:
                    value2 = float(value2) if type(value2) is float64 else in_pythons_form(value2)
                key = (primal, type(value1), type(value2), 3)
                parents = (x1.slot, x2.slot)
            else:
                value2 = x2
                key = (primal, type(value1), type(x2), 1)
                parents = x1.slot
        elif type(x1) in pythons:
            tape = x1.level
            value1 = x1.value
            if type(x2) in HANDLES and x2.level is tape:
                value2 = x2.value
                pattern = 3
                parents = (x1.slot, x2.slot)
            elif type(x2) is ndarray:
                value2 = x2
                pattern = 1
                parents = x1.slot
            else:
                return slowly(primal, x1, x2)
            if type(value2) is not float64:
                value1 = float(value1) if type(value1) is float64 else in_pythons_form(value1)
            key = (primal, type(value1), type(value2), pattern)
        else:
            tape = x2.level
            value1, value2 = x1, x2.value
            if type(x2) in pythons:
                if type(x1) is not ndarray:
                    return slowly(primal, x1, x2)
                value2 = float(value2) if type(value2) is float64 else in_pythons_form(value2)
            key = (primal, type(x1), type(value2), 2)
            parents = ~x2.slot
        try:
            stage = tape.stages[key]
        except KeyError:
            stage = run_by_operator(REVERSE, tape, key, value1, value2)
        if stage is None:
            return slowly(primal, x1, x2)
        y, pull, residuals = stage(value1, value2)
        if pull is None:
            return y
        # `record` written out
        y_traced = _new(array_handle if type(y) is ndarray else HANDLE_OF[type(y)])
        y_traced.value = y
        pulls = tape.pulls
        y_traced.slot = len(pulls)
        y_traced.level = tape
        pulls.append(pull)
        tape.residuals.append(residuals)
        tape.parents.append(parents)
        return y_traced

    return operation


def binary_of_python_on_tape(primal, ufunc, slowly) -> Operation:
    """The operation of two operands, at least one of them a number of Python's on a tape.

    Beside another one of Python's it is `primal`, and the result is of Python, unless `primal` is
    `ufunc`. Beside arrays and numbers of NumPy's it is `ufunc`; and `slowly` for all others.
    """
    pythons, beside_numpys = HANDLE_OF.pythons, binary_on_tape(ufunc, slowly)
    is_numpys = primal is ufunc
    class_of = HANDLE_OF if is_numpys else HANDLE_OF.of_python

    def operation(x1, x2) -> Any:
        parents: Any
        if type(x1) in pythons:
            tape = x1.level
            value1, value2 = x1.value, x2
            if type(x2) in PYTHON_CONSTANTS:
                key = (primal, type(value1), type(x2), 1)
                parents = x1.slot
            elif type(x2) in pythons and x2.level is tape:
                value2 = x2.value
                key = (primal, type(value1), type(value2), 3)
                parents = (x1.slot, x2.slot)
            else:
                return beside_numpys(x1, x2)
        elif type(x1) in PYTHON_CONSTANTS:
            tape = x2.level
            value1, value2 = x1, x2.value
            key = (primal, type(x1), type(value2), 2)
            parents = ~x2.slot
        else:
            return beside_numpys(x1, x2)
        try:
            stage = tape.stages[key]
        except KeyError:
            stage = run_by_operator(REVERSE, tape, key, value1, value2)
        if stage is None:
            return slowly(ufunc, x1, x2)
        y, pull, residuals = stage(value1, value2)
        if pull is None:
            return y if is_numpys else in_pythons_form(y)
        # `record` written out
        y_traced = _new(class_of[type(y)])
        y_traced.value = y
        pulls = tape.pulls
        y_traced.slot = len(pulls)
        y_traced.level = tape
        pulls.append(pull)
        tape.residuals.append(residuals)
        tape.parents.append(parents)
        return y_traced

    return operation


def unary_forward(primal, number_handle: Any = None) -> Operation:
    """Make the operation of a primal with one argument, a handle of forward mode; `number_handle`
    is the class of handles on numbers that it gives.
    """
    array_handle, wrap = DUAL_OF.array, Pushforward.wrap
    if number_handle is None:
        number_handle = DUAL_OF.number
    else:
        wrap = Pushforward.wrap_pythons

    def operation(x) -> Any:
        level = x.level
        value = x.value
        try:
            run = level.stages[primal, type(value)]
        except KeyError:
            run = run_by_operator(FORWARD, level, (primal, type(value)), value)
        if run is None:
            return call(primal, (x,), {})
        y, y_dot = run((x.tangent,), value)
        if type(y_dot) not in TANGENTS or type(y) not in NATURAL:
            return wrap(level, primal, y, y_dot)
        y_dual = _new(array_handle if type(y) is ndarray else number_handle)  # `wrap` written out
        y_dual.value, y_dual.tangent, y_dual.level = y, y_dot, level
        return y_dual

    return operation


def binary_forward(primal, slowly: Any = None) -> Operation:
    """Make the operation of a primal with two arguments, one or both handles of forward mode.

    `slowly` is its slow dispatch, where that is not `general`.
    """
    array_handle, number_handle = DUAL_OF.array, DUAL_OF.number
    slowly = slowly or general
    pythons = DUAL_OF.pythons

    def operation(x1, x2) -> Any:
        if type(x1) in DUALS:
            level = x1.level
            value1, dot1 = x1.value, x1.tangent
            if type(x2) in DUALS and x2.level is level:
                value2, dot2 = x2.value, x2.tangent
                key = (primal, type(value1), type(value2), 3)
            elif type(x2) in pythons and x2.level is level:
                value2, dot2 = x2.value, x2.tangent
                if type(value1) is not float64:
                    value2 = float(value2) if type(value2) is float64 else in_pythons_form(value2)
                    dot2 = float(dot2) if type(dot2) is float64 else dot2
                key = (primal, type(value1), type(value2), 3)
            else:
                value2, dot2 = x2, ZERO
                key = (primal, type(value1), type(x2), 1)
        elif type(x1) in pythons:
            level = x1.level
            value1, dot1 = x1.value, x1.tangent
            if type(x2) in DUALS and x2.level is level:
                value2, dot2 = x2.value, x2.tangent
                pattern = 3
            elif type(x2) is ndarray:
                value2, dot2 = x2, ZERO
                pattern = 1
            else:
                return slowly(primal, x1, x2)
            if type(value2) is not float64:
                value1 = float(value1) if type(value1) is float64 else in_pythons_form(value1)
                dot1 = float(dot1) if type(dot1) is float64 else dot1
            key = (primal, type(value1), type(value2), pattern)
        else:
            level = x2.level
            value1, dot1, value2, dot2 = x1, ZERO, x2.value, x2.tangent
            if type(x2) in pythons:
                if type(x1) is not ndarray:
                    return slowly(primal, x1, x2)
                value2 = float(value2) if type(value2) is float64 else in_pythons_form(value2)
                dot2 = float(dot2) if type(dot2) is float64 else dot2
            key = (primal, type(x1), type(value2), 2)
        try:
            run = level.stages[key]
        except KeyError:
            run = run_by_operator(FORWARD, level, key, value1, value2)
        if run is None:
            return slowly(primal, x1, x2)
        y, y_dot = run((dot1, dot2), value1, value2)
        if type(y_dot) not in TANGENTS or type(y) not in NATURAL:
            return level.wrap(primal, y, y_dot)
        y_dual = _new(array_handle if type(y) is ndarray else number_handle)
        y_dual.value, y_dual.tangent, y_dual.level = y, y_dot, level
        return y_dual

    return operation


def binary_of_python_forward(primal, ufunc, slowly) -> Operation:
    """The operation of two operands, at least one of them a number of Python's in forward mode, as
    `binary_of_python_on_tape` has it.
    """
    pythons, beside_numpys = DUAL_OF.pythons, binary_forward(ufunc, slowly)
    is_numpys = primal is ufunc
    handle = DUAL_OF.number if is_numpys else DUAL_OF.python

    def operation(x1, x2) -> Any:
        dot1: Any
        dot2: Any
        if type(x1) in pythons:
            level = x1.level
            value1, dot1, value2, dot2 = x1.value, x1.tangent, x2, ZERO
            if type(x2) in PYTHON_CONSTANTS:
                key = (primal, type(value1), type(x2), 1)
            elif type(x2) in pythons and x2.level is level:
                value2, dot2 = x2.value, x2.tangent
                key = (primal, type(value1), type(value2), 3)
            else:
                return beside_numpys(x1, x2)
        elif type(x1) in PYTHON_CONSTANTS:
            level = x2.level
            value1, dot1, value2, dot2 = x1, ZERO, x2.value, x2.tangent
            key = (primal, type(x1), type(value2), 2)
        else:
            return beside_numpys(x1, x2)
        try:
            run = level.stages[key]
        except KeyError:
            run = run_by_operator(FORWARD, level, key, value1, value2)
        if run is None:
            return slowly(ufunc, x1, x2)
        y, y_dot = run((dot1, dot2), value1, value2)
        if type(y_dot) not in TANGENTS or type(y) is not float64:
            y_dual = level.wrap(primal, y, y_dot)
            return y_dual if is_numpys else in_pythons_form(y_dual)
        y_dual = _new(handle)
        y_dual.value, y_dual.tangent, y_dual.level = y, y_dot, level
        return y_dual

    return operation


def general(primal, x1, x2) -> Any:
    """Call an operation of two operands by slow dispatch; lists are arrays, but as an index."""
    if primal is getitem:
        return call(primal, (x1, x2), {})
    if type(x1) in TRACED and type(x2) in TRACED:
        return beside_outer(primal, x1, x2)
    return call(primal, (as_operand(x1), as_operand(x2)), {})


def product(primal, x1, x2) -> Any:
    """Multiply by slow dispatch; refuse a list or tuple times a number, as NumPy's numbers do."""
    require_no_sequence(x1, x2)
    return general(primal, x1, x2)


def require_no_sequence(x1, x2) -> None:
    """Raise for a list or tuple times a traced number."""
    for one, other in ((x1, x2), (x2, x1)):
        if type(one) in (list, tuple) and type(other) in TRACED and other.is_number:
            kind = type(one).__name__
            raise TypeError(
                f"can't multiply a {kind} by a number: Python repeats it, by integers only;"
                " numpy.multiply is the product of all entries"
            )


def beside_outer(primal, x1, x2) -> Any:
    """Call an operation of two traced values, of which one belongs to an outer level: it is a
    constant. 9 us less than slow dispatch.
    """
    x1, x2 = in_common_form(primal, x1, x2)
    pattern = 1 if x1.level.serial > x2.level.serial else 2
    level = (x1 if pattern == 1 else x2).level
    direction = DIRECTIONS.get(type(level))
    if direction is None or level.written is not None or x1.level is x2.level:
        return call(primal, (x1, x2), {})

    # The program may write to the outer value later: the rule gets a handle of its own on it.
    own, outer = (x1, x2.resolved(level)) if pattern == 1 else (x2, x1.resolved(level))
    value = in_pythons_form(own.value) if own.is_pythons else own.value
    values = (value, outer) if pattern == 1 else (outer, value)
    key = (primal, *map(type, values), pattern, "outer")
    try:
        run = level.stages[key]
    except KeyError:
        run = run_beside_outer(direction, level, key, *values)
    if run is None:
        return call(primal, (x1, x2), {})
    if direction is REVERSE:
        y, pull, residuals = run(*values)
        parents = own.slot if pattern == 1 else ~own.slot
        return y if pull is None else level.wrap(primal, y, pull, residuals, parents)
    dots = (own.tangent, ZERO) if pattern == 1 else (ZERO, own.tangent)
    return level.wrap(primal, *run(dots, *values))


def in_common_form(primal, x1, x2) -> tuple[Any, Any]:
    """Two traced operands, with NumPy's numbers in the place of Python's where no array is."""
    if type(x1) not in PYTHONS and type(x2) not in PYTHONS:
        return x1, x2
    if takes_part_in_dtypes(x1) or takes_part_in_dtypes(x2):
        return x1, x2
    return in_numpys_form(x1), in_numpys_form(x2)


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


def function_of(
    direction: Direction, finish: Callable[..., Any], plan_of: PlanOf = plan_of_function
) -> Operation:
    """Make the ``__array_function__`` of a direction, which is that of methods, without `types`.

    `finish` runs the rule and wraps its result, and gets the first traced argument, too; `plan_of`
    makes the plan of a kind of call.

    The function is one piece, because it runs once per operation: it reads the arguments, looks at
    the options, finds the plan, brings the arguments to where the rule wants them, and runs it.
    """
    handles, pythons = direction.numpys, direction.pythons
    mode_data_of = direction.mode_data
    nothing = direction.nothing
    together = direction.together
    owning = direction.owning

    def function(
        self: TracedArray, primal, types, args: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        notice()  # what came while NumPy asked for the class of an argument
        level = self.level

        # The arguments: their classes, their values beneath the level, and their slots or tangents,
        # the data of the mode.
        key: list[Any] = [None, primal]  # a ufunc called as a function has a key of its own
        values: list[Any] = []
        mode_data: list[Any] = []
        is_beside_python = False
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
            elif cls in pythons and arg.level is level:
                is_beside_python = True
                value, data = arg.value, mode_data_of(arg)
                value = float(value) if type(value) is float64 else in_pythons_form(value)
                key.append(type(value))
                values.append(value)
                mode_data.append(float(data) if type(data) is float64 else data)
            else:
                parts = mode_data_of_parts(direction, level, arg)
                if not parts:
                    if not is_axes(arg):
                        return array_function(self, primal, types, args, options)
                    key += (cls, None)
                    values.append(own_axes(arg))
                    mode_data.append(nothing)
                    continue
                key.append(cls)
                if not pythons.isdisjoint(map(type, arg)):
                    own = list(map(level.strip, as_given(primal, tuple(arg))))
                else:
                    own = [part.value if type(part) in handles else part for part in arg]
                values.append(own if cls is list else tuple(own))  # NumPy looks into some tuples
                mode_data.append(together(parts, len(arg)))

        if is_beside_python and ndarray not in key and are_of_numpy(primal, args):
            args = tuple([in_numpys_form(arg) if type(arg) in pythons else arg for arg in args])
            return function(self, primal, types, args, options)

        # The options, which nothing is differentiated by.
        holds_arrays: bool | None = False
        for option in options.values():
            if type(option) not in OPTIONS:  # rare, and so looked at in a call of its own
                holds_arrays = holds_arrays_in(options)
                options = own_options(options)
                break
        if holds_arrays is None:
            return array_function(self, primal, types, args, options)

        signature = (*key, *options)
        try:
            plan = level.stages[signature]
        except KeyError:
            plan = plan_of(direction, level, primal, values, mode_data, options)
            level.stages[signature] = plan
        if plan is None and options:  # those that become arguments are known by their classes
            signature = (*signature, *map(type, options.values()))
            try:
                plan = level.stages[signature]
            except KeyError:
                plan = plan_of(direction, level, primal, values, mode_data, options, by_class=True)
                level.stages[signature] = plan
        if plan is None:
            return array_function(self, primal, types, args, options)

        # The rule, and the arguments where it wants them.
        bound, arrange, is_rewritten = plan
        if holds_arrays and is_rewritten:
            # of an option that becomes an argument, the key tells no class
            return array_function(self, primal, types, args, options)
        if type(bound) is Body:
            given: Any = args
            if arrange is not None:
                given, options = arrange(args, options)
            return level.run_body(bound.primal, bound.run, given, options)
        run, _, rule_plan, moves_arrays = bound
        arguments: Sequence[Any] = values
        if arrange is not None:
            arguments, options = arrange(values, options)
            del mode_data[len(arguments) :]
            mode_data += [nothing] * (len(arguments) - len(mode_data))

        # A copy of what the program may overwrite before the pullback reads it.
        if holds_arrays or moves_arrays:
            run, options = owning(rule_plan, run, options)
        return finish(level, primal, run, arguments, options, mode_data, self)

    return function


def primitive_of(function: Operation) -> Operation:
    """Make the ``__chainrules_call__`` of a direction, given its function for NumPy's functions."""

    def primitive(self: TracedArray, primal, args: tuple[Any, ...], options: dict[str, Any]):
        # of NumPy's functions alone it is known what `out` means
        if "out" in options or not self.level.has_fast_primitives:
            return call(primal, args, options)
        return function(self, primal, (), args, options)

    return primitive


def is_shape(x: tuple[Any, ...]) -> bool:
    """Tell whether a tuple holds nothing but integers, as shapes and axes do, or tuples of such, as
    pairs of axes and paddings do.
    """
    return INTEGERS.issuperset(map(type, x)) or (
        TUPLES.issuperset(map(type, x)) and all(INTEGERS.issuperset(map(type, part)) for part in x)
    )


def is_axes(x) -> bool:
    """Tell whether a value is a list or tuple of integers, or of lists and tuples of such."""
    if type(x) is not list and type(x) is not tuple:
        return False
    return all(type(part) is int or is_axes(part) for part in x)


def own_axes(x) -> Any:
    """Copy the lists of integers, which their owner may change before the sweep."""
    cls = type(x)
    return cls(map(own_axes, x)) if cls is list or cls is tuple else x


def own_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return options with copies of their lists of integers."""
    return {name: own_axes(x) if is_axes(x) else x for name, x in options.items()}


def holds_arrays_in(options: dict[str, Any]) -> bool | None:
    """Tell whether some options are arrays of NumPy's; None where one takes slow dispatch."""
    found = False
    for option in options.values():
        cls = type(option)
        if cls in OPTIONS or is_axes(option):
            continue
        if cls is not ndarray:
            return None
        found = True
    return found


def mode_data_of_parts(direction: Direction, level: Derivative, arg) -> dict[int, Any] | None:
    """Return the slots or tangents of a level's arrays in a list or tuple, by position.

    None where there is anything but arrays in it, and for all other arguments.
    """
    if type(arg) is not list and type(arg) is not tuple:
        return None
    found = {}
    for position, part in enumerate(arg):
        if type(part) in direction.handles and part.level is level:
            found[position] = direction.mode_data(part)
        elif type(part) is not ndarray:
            return None
    return found


def recorded(
    tape: Tape,
    primal,
    stage,
    values: Sequence[Any],
    options: dict[str, Any],
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


def pushed(
    level,
    primal,
    run,
    values: Sequence[Any],
    options: dict[str, Any],
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
