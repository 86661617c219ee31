"""The fast way for functions and methods, in either mode.

As for operators (`operations`), but with any number of arguments, of which each is a handle of the level, a constant that
holds no traced value, or a sequence of the level's arrays. The key is

    (function, class, ..., option names)

where every constant is followed by None. What is found says besides how the arguments of such calls are arranged, which is
nearly always not at all. Before the rule it costs 1.5 us.
"""

from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from chainrules_py.callform import Arrangement
from chainrules_py.rule import Mode as RuleMode
from chainrules_tape.core.asked_of_arrays import WRITING_FUNCTIONS
from chainrules_tape.core.errors import raise_escaped_value
from chainrules_tape.core.levels import call
from chainrules_tape.core.plans import Derivative, Plan

# Classes of constants that hold no traced value, and that no array library but NumPy has to be asked about.
CONSTANTS = frozenset({np.ndarray, np.float64, np.int64, np.bool, float, int, bool, complex, str, NoneType, slice, type})
INTEGERS = frozenset({int})


class Mode(NamedTuple):
    """What is different in reverse and forward.

    `carried` reads off a handle what travels with its value, its slot or its tangent, and `nothing` stands for that of a
    constant; `together` makes one of what the parts of a sequence carry, given by position, and the number of parts. `chosen`
    says what a plan's calls run, and `finish` runs it.
    """

    name: RuleMode
    handles: frozenset[Any]  # their classes
    carried: Callable[[Any], Any]
    nothing: Any
    together: Callable[[dict[int, Any], int], Any]
    chosen: Callable[[Plan], Any]
    finish: Callable[..., Any]


class Operation(NamedTuple):
    """What differentiates a call: what it runs, and how the call's arguments become the rule's.

    `moved` are the names of the last positional arguments, which are options of the rule, and `defaults` those of all options.
    Where none is given at its default, and nothing else has to be arranged, the options go to the rule as they are.
    """

    run: Any
    plan: Plan
    arrangement: Arrangement
    as_it_is: bool
    moved: tuple[str, ...]
    defaults: tuple[tuple[str, Any], ...]


def function_of(mode: Mode) -> Callable[..., Any]:
    """Calls of functions in a mode: ``function(level, primal, args, options)``."""
    _, handles, carried, nothing, together, _, finish = mode

    def function(level: Any, primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        key: list[Any] = [primal]
        values: list[Any] = []
        companions: list[Any] = []
        for arg in args:
            cls = type(arg)
            if cls in handles and arg.level is level:
                value = arg.value
                key.append(type(value))
                values.append(value)
                companions.append(carried(arg))
            elif cls in CONSTANTS or (cls is tuple and is_shape(arg)):
                key += (cls, None)
                values.append(arg)
                companions.append(nothing)
            elif (cls is list or cls is tuple) and (parts := parts_of(mode, level, arg)):
                key.append(cls)
                values.append([part.value if type(part) in handles else part for part in arg])
                companions.append(together(parts, len(arg)))
            else:
                return call(primal, args, options)
        for name, option in options.items():
            if type(option) not in CONSTANTS and not (type(option) is tuple and is_shape(option)):
                return call(primal, args, options)
            key.append(name)
        signature = tuple(key)
        try:
            operation = level.stages[signature]
        except KeyError:
            operation = level.stages[signature] = operation_of(mode, level, primal, args, values, companions, options)
        if operation is None:
            return call(primal, args, options)
        run, plan, arrangement, as_it_is, moved, defaults = operation
        if moved:
            arity = arrangement.arity
            options = options | dict(zip(moved, values[arity:], strict=True))
            del values[arity:], companions[arity:]
        for name, default in defaults:
            as_it_is = as_it_is and options[name] is not default
        if not as_it_is:
            values, options = arrangement.arrange(values, options)
            del companions[len(values) :]
            if options and tuple(options) not in plan.accepted:
                level.options(plan, options)
        return finish(level, primal, run, values, options, companions)

    return function


def is_shape(x: tuple[Any, ...]) -> bool:
    """Whether a tuple holds nothing but integers, as shapes and axes do."""
    return INTEGERS.issuperset(map(type, x))


def parts_of(mode: Mode, level: Derivative, parts: Sequence[Any]) -> dict[int, Any] | None:
    """What the arrays of a level in a sequence carry, by position; None where there is anything but arrays in it."""
    found = {}
    for position, part in enumerate(parts):
        if type(part) in mode.handles and part.level is level:
            found[position] = mode.carried(part)
        elif type(part) is not ndarray:
            return None
    return found


def operation_of(
    mode: Mode,
    level: Derivative,
    primal: Any,
    args: tuple[Any, ...],
    values: list[Any],
    companions: list[Any],
    options: dict[str, Any],
) -> Operation | None:
    """What a function runs for calls of this kind; None where they have to take the general way."""
    if level.closed:
        raise_escaped_value(primal, next((arg for arg in args if type(arg) in mode.handles), None))
    arrangement = level.engine.table.arrangement(primal, len(args), options)
    if arrangement is None or "out" in options or primal in WRITING_FUNCTIONS:
        return None
    active = [companion is not mode.nothing for companion in companions]
    first, (values, _) = values[0], arrangement.arrange(values, options)
    if arrangement.adapt is not None and (values[0] is not first or any(active[1:])):
        return None  # which of the arguments came to be where is not known
    if any(active[len(values) :]):
        return None  # an option is traced: the general way says what to write instead
    types, needs = tuple(map(type, values)), tuple(active[: len(values)])
    if level.engine.wants_arrays(mode.name, arrangement.primal, types, needs):
        return None
    plan = level.engine.plan(mode.name, arrangement.primal, types, needs)
    moved = arrangement.form.names[arrangement.arity : len(companions)] if arrangement.adapt is None else ()
    taken = plan.rule.options is None or plan.rule.options.issuperset([*options, *moved])
    if arrangement.adapt is not None or not taken:
        return Operation(mode.chosen(plan), plan, arrangement, False, (), ())
    known = arrangement.form.defaults
    defaults = tuple((name, known[name]) for name in (*options, *moved) if name in known)
    return Operation(mode.chosen(plan), plan, arrangement, True, moved, defaults)
