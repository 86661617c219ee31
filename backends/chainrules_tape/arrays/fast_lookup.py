"""The first call of a kind: which rule the fast dispatch is to run at all calls of that kind.

What is different on a tape, in forward mode and in lanes is a `Direction`. For calls that have to
take slow dispatch, `levels.call`, None is stored; a closed level finds nothing else.
"""

from collections.abc import Callable, Iterable, Sequence
from numbers import Number
from operator import attrgetter, getitem
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.annotations import Function, Options
from chainrules_py.engines.call_plans import CallPlan, CanonicalCall, plan_of
from chainrules_py.errors import NoRuleError
from chainrules_py.rules.rule import Mode, Rule
from chainrules_py.tangents import ZERO, AbstractTangent, with_entries
from chainrules_py.values.indices import NORMAL, normal_index
from chainrules_py.values.python_numbers import ufunc_of
from chainrules_py.values.records import Record
from chainrules_py.values.structure import is_container, kind
from chainrules_tape.core import duals, tape
from chainrules_tape.core.dispatch import EQUALITIES, Derivative
from chainrules_tape.core.guests import answer_among, answer_of
from chainrules_tape.core.levels import writers
from chainrules_tape.core.plans import Plan
from chainrules_tape.core.recording import owning_options
from chainrules_tape.core.tape_form import constant_stage
from chainrules_tape.overwriting.constants import reading_by_tuple
from chainrules_tape.refusals.handles import HandleClasses, TracedArray
from chainrules_tape.refusals.instrumented_packages import arrays_of
from chainrules_tape.refusals.subclasses import becomes_array, is_labelled

OPERANDS = (TracedArray, np.ndarray, np.generic, Number, list, tuple)
OF_ARRAYS = ("__array__", "__array_ufunc__", "__array_function__", "__array_namespace__", "shape")


class Direction(Record):
    """A mode of differentiation, as the fast dispatch needs to know it."""

    mode: Mode

    handles: HandleClasses
    """The classes of traced values."""

    mode_data: Callable[[Any], Any]
    """Reads the slot or the tangent off a handle."""

    nothing: Any
    """Stands for the slot or the tangent of a constant."""

    together: Callable[[dict[int, Any], int], Any]
    """Joins those of the parts of a sequence, given by position, and the number of parts."""

    runnable: Callable[[Plan], Any]
    """Reads off a plan what its calls run."""

    constant: Callable[[Any], Any]
    """Makes that of a rule without derivative."""

    owning: Callable[[Plan, Any, dict[str, Any]], tuple[Any, dict[str, Any]]]
    """Returns what a plan runs for options that hold arrays, and these options."""

    bound: Callable[..., Any]
    """Binds the rule of a call that is no body; None for those of slow dispatch."""


def as_list(dots: dict[int, Any], count: int):
    """Join the tangents of the parts of a sequence to that of a list, which the rule is given."""
    return with_entries(list, {position: dots.get(position, ZERO) for position in range(count)})


def constant_run(run):
    """Make what forward mode runs of a function without derivative: its tangent is zero."""
    return lambda dots, *values, **options: (run(dots, *values, **options)[0], ZERO)


def by_reference(plan: Plan, run, options: Options) -> tuple[Any, dict[str, Any]]:
    """Return run and options as they are: forward mode stores nothing that could be written to."""
    return run, options


def bound_rule(
    direction: Direction, level, call: CanonicalCall, mode_data: list[Any], options: Options
) -> "FunctionRule | None":
    """Bind the rule of a call of differentiated values; None for slow dispatch."""
    plan = level.plan(call.primal, call.types, call.needs)
    if direction.mode == "reverse" and any(
        need and k in plan.kept_arguments and is_container(call.values[k])
        for k, need in enumerate(call.needs)
    ):
        return None  # of a container that is kept, the parts that are constants are copied
    moved = [option for name, option in call.options.items() if name not in options]
    moves_arrays = any(type(option) is np.ndarray for option in moved)
    return FunctionRule(run_of(direction, plan), plan.rule, plan, moves_arrays)


REVERSE = Direction(
    mode="reverse",
    handles=tape.HANDLE_OF,
    mode_data=attrgetter("slot"),
    nothing=None,
    together=lambda slots, count: slots,
    runnable=attrgetter("stage"),
    constant=constant_stage,
    owning=owning_options,
    bound=bound_rule,
)
FORWARD = Direction(
    mode="forward",
    handles=duals.HANDLE_OF,
    mode_data=attrgetter("tangent"),
    nothing=ZERO,
    together=as_list,
    runnable=attrgetter("run"),
    constant=constant_run,
    owning=by_reference,
    bound=bound_rule,
)


# Operators and ufuncs


def find_operator(direction: Direction, level, key: tuple[Any, ...], *values) -> Any:
    """Find what an operator runs for a new key, and store it; None for slow dispatch.

    After the primal, the key has the class of each operand's handle,
    None for a constant, and that of its value.
    """
    found = None
    if not level.closed and not is_noted(level, key[0], key[1::2]):
        found = run_by_operator(direction, level, key[1::2], key[0], values)
    level.stages[key] = found
    return level.stages[key]


def is_noted(level, primal, handles: Iterable[Any] = ()) -> bool:
    """Whether a level notes what an operator decides, which slow dispatch does, or whether numbers are
    equal, which each level does.
    """
    if ufunc_of(primal) in EQUALITIES and any(getattr(cls, "is_number", 0) for cls in handles):
        return True
    return level.decisions is not None and level.decisions.notes(primal)


def run_beside_outer(direction: Direction, level, key: tuple[Any, ...], *values) -> Any:
    """Find what an operator runs for a new key where the constant is a traced value of an outer
    level, and store it; None for slow dispatch.
    """
    primal, needs, run = key[0], (key[3] == 1, key[3] == 2), None
    is_found = not level.closed and not is_noted(level, primal, map(type, values))
    if is_found and getattr(primal, "nout", 1) == 1:
        run = run_of(direction, level.plan(primal, tuple(map(type, values)), needs))
    level.stages[key] = run
    return run


def run_by_operator(
    direction: Direction, level, handles: tuple[Any, ...], primal, values: Sequence[Any]
) -> Any:
    """Find what an operator runs on values, of which some are constants; None for slow dispatch."""
    needs = tuple([handle is not None for handle in handles])
    constants = [value for value, need in zip(values, needs, strict=True) if not need]
    if any(has_the_say(constant, primal) for constant in constants):
        return direction.constant(left_to_the_other)
    if any(decides_by_itself(constant, primal) for constant in constants):
        return None
    if getattr(primal, "nout", 1) != 1:
        return None
    try:
        plan = level.plan(primal, tuple(map(type, values)), needs)
    except NoRuleError:
        are_none = primal is not getitem and any(map(is_no_operand, constants))
        if are_none or any(map(answers_ufuncs, constants)):
            return direction.constant(left_to_the_other)
        raise

    run = run_of(direction, plan)
    if primal is not getitem:
        return run
    index = values[1]
    if type(index) in NORMAL or isinstance(index, TracedArray):
        return run
    if type(index) is tuple and direction is REVERSE:
        return reading_by_tuple(run)
    if type(index) is tuple and type(values[0]) is np.ndarray:  # which takes whatever is in it
        return run
    return lambda *before_and_index: run(*before_and_index[:-1], normal_index(before_and_index[-1]))


def has_the_say(constant, primal) -> bool:
    """Tell whether Python is to ask the other operand, a constant, to do the operation."""
    if primal is getitem:
        return False
    if isinstance(constant, AbstractTangent):
        return True  # special tangents know their sums with themselves
    if isinstance(constant, TracedArray):
        return bool(constant.is_stored)  # it was written to, and reads what it holds first
    if type(constant) in arrays_of:  # it gives the traced value that it stands for
        return True
    return has_labels(constant)


def has_labels(constant) -> bool:
    """Tell whether a constant is an array with labels, which does operations itself."""
    cls: Any = type(constant)
    return kind(cls) == "declared" and answers_ufuncs(constant) and answer_of(cls) is None


def decides_by_itself(constant, primal) -> bool:
    """Tell whether a constant of this class takes slow dispatch, which looks at the value."""
    if isinstance(constant, TracedArray):
        return True  # of several levels, and the values say which is the inner one
    cls: Any = type(constant)
    if cls.__module__ == "fractions":  # becomes a float first
        return True
    if becomes_array(cls) or is_labelled(cls):  # becomes an array first
        return True
    if is_container(constant):
        return primal is not getitem  # an index has no traced values inside
    return answer_of(cls) is not None


def is_no_operand(x) -> bool:
    """Whether a value is neither a number nor anything like an array: Python asks it by itself then,
    or says that there is no such operation.
    """
    cls = type(x)
    if issubclass(cls, OPERANDS) or answer_of(cls) is not None:
        return False
    return issubclass(cls, AbstractTangent) or not any(hasattr(cls, name) for name in OF_ARRAYS)


def run_of(direction: Direction, plan: Plan) -> Any:
    """Return what a plan's calls run in this direction."""
    return direction.runnable(plan) if plan.differentiable else direction.constant(plan.run)


def left_to_the_other(*args) -> tuple[Any]:
    """Return the value by which Python learns that the other operand has the say."""
    return (NotImplemented,)


def answers_ufuncs(x) -> bool:
    """Tell whether an operand without a rule has an answer of its own.

    It may hold arrays, and reach for traced ones.
    """
    own = getattr(type(x), "__array_ufunc__", None)
    return own is not None and own is not np.ndarray.__array_ufunc__


# Functions and methods


class Body(NamedTuple):
    """The program of other functions that a function's calls run, on traced values."""

    primal: Any
    run: Function
    rule: None = None


class FunctionRule(NamedTuple):
    """The rule of a function's calls, and what runs it in one direction.

    `moves_arrays` says that an option which is given by position is an array.
    """

    run: Any
    rule: Rule
    plan: Plan
    moves_arrays: bool


def find_plan(
    direction: Direction,
    level: Derivative,
    signature: tuple[Any, ...],
    primal,
    values: list[Any],
    mode_data: list[Any],
    options: Options,
) -> CallPlan | None:
    """Find the plan of a function's calls of one kind, and store it, also that there is none.

    That is by the names of options, and where there is none so, as of options that become
    arguments, by their classes, too.
    """
    of_call = direction, level, primal, values, mode_data, options
    if signature not in level.stages:
        level.stages[signature] = plan_of_function(*of_call)
    if options and level.stages[signature] is None:
        signature = (*signature, *map(type, options.values()))
        level.stages[signature] = plan_of_function(*of_call, by_class=True)
    return level.stages[signature]


def plan_of_function(
    direction: Direction,
    level: Derivative,
    primal,
    values: list[Any],
    mode_data: list[Any],
    options: Options,
    by_class: bool = False,
) -> CallPlan | None:
    """Make the plan of a function's calls of one kind; None for those of slow dispatch.

    With `by_class`, the calls of one kind have options of the same classes, too.
    """
    engine = level.engine

    def bound(call: CanonicalCall) -> Any:
        primal, types = call.primal, call.types
        if "out" in call.options or engine.overwritten(primal) is not None:
            return None
        body = level.body(primal, types)
        if body is not None:
            return Body(primal, body)
        if engine.wants_arrays(direction.mode, primal, types, call.needs):
            return None
        return direction.bound(direction, level, call, mode_data, options)

    if level.closed or "out" in options or primal in writers:
        return None
    if answer_among(values) is not None:
        return None
    active = [k for k, own in enumerate(mode_data) if own is not direction.nothing]
    by_class = by_class or not options
    return plan_of(engine.table, bound, primal, values, options, active, by_class)
