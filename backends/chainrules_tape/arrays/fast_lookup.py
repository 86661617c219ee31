"""What the fast way finds for a key that it has not met: the rule's function, and how the call's
arguments become the rule's.

What a tape and forward mode have in common stands here once, and takes a `Direction`. None is found
for what has to take the general way, and is found again; a closed level finds nothing else.
"""

from collections.abc import Callable, Set
from numbers import Rational
from operator import attrgetter, getitem
from typing import Any, NamedTuple

import numpy as np

from chainrules_py.calls.callform import Arrangement
from chainrules_py.errors import NoRuleError
from chainrules_py.rules.rule import Mode
from chainrules_py.tangents import ZERO, AbstractTangent, with_entries
from chainrules_py.values.arrays import is_outer
from chainrules_py.values.structure import is_container
from chainrules_tape.core import duals, tape
from chainrules_tape.core.dispatch import Derivative
from chainrules_tape.core.levels import writers
from chainrules_tape.core.plans import Plan
from chainrules_tape.core.recording import own_list, owning_options
from chainrules_tape.core.tape_form import constant_stage
from chainrules_tape.overwriting.constants import reading_by_tuple
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.instrumented_packages import arrays_of


class Direction(NamedTuple):
    """What is different on a tape and in forward mode.

    `mode_data` reads off a handle what travels with its value, its slot or its tangent, and `nothing`
    stands for that of a constant; `together` makes one of what the parts of a sequence carry, given
    by position, and the number of parts. `runnable` reads off a plan what its calls run, and
    `constant` makes that of a rule without derivative. `owning` gives what a plan runs for options
    that hold arrays, and these options.
    """

    mode: Mode
    handles: Set[Any]  # their classes
    mode_data: Callable[[Any], Any]
    nothing: Any
    together: Callable[[dict[int, Any], int], Any]
    runnable: Callable[[Plan], Any]
    constant: Callable[[Any], Any]
    owning: Callable[[Plan, Any, dict[str, Any]], tuple[Any, dict[str, Any]]]


def as_list(dots: dict[int, Any], count: int) -> Any:
    """The tangents of the parts of a sequence as that of a list, which the rule is given."""
    return with_entries(list, {position: dots.get(position, ZERO) for position in range(count)})


def constant_run(run: Any) -> Any:
    """The form for forward mode of a function without derivative: its tangent is zero."""
    return lambda dots, *values, **options: (run(dots, *values, **options)[0], ZERO)


def by_reference(plan: Plan, run: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """What a plan runs in forward mode for options that hold arrays: nothing is kept."""
    return run, options


REVERSE = Direction(
    mode="reverse",
    handles=tape.HANDLES,
    mode_data=attrgetter("slot"),
    nothing=None,
    together=lambda slots, count: slots,
    runnable=attrgetter("stage"),
    constant=constant_stage,
    owning=owning_options,
)
FORWARD = Direction(
    mode="forward",
    handles=duals.HANDLES,
    mode_data=attrgetter("tangent"),
    nothing=ZERO,
    together=as_list,
    runnable=attrgetter("run"),
    constant=constant_run,
    owning=by_reference,
)


# Operators and ufuncs


def run_by_operator(direction: Direction, level: Any, key: tuple[Any, ...], *values: Any) -> Any:
    """What an operator runs for a key that it has not met, and from now on; None where it has to
    take the general way.
    """
    needs = (True,) if len(values) == 1 else (key[3] != 2, key[3] != 1)
    constants = (values[needs.index(False)],) if False in needs else ()
    run = level.stages[key] = (
        None
        if level.closed
        else _found_by_operator(direction, level, key[0], values, needs, constants)
    )
    return run


def _found_by_operator(
    direction: Direction,
    level: Any,
    primal: Any,
    values: tuple[Any, ...],
    needs: tuple[bool, ...],
    constants: tuple[Any, ...],
) -> Any:
    if any(map(is_fraction, constants)):
        place = needs.index(False)
        key = (*(float if k == place else type(value) for k, value in enumerate(values)), 2 - place)
        return with_a_float(
            run_by_operator(direction, level, (primal, *key), *map(float_of_fraction, values)),
            place,
        )
    for constant in constants:
        if isinstance(constant, AbstractTangent):
            # special tangents have the say about sums with themselves
            return direction.constant(left_to_the_other)
        if isinstance(constant, TracedArray) and constant.is_stored and primal is not getitem:
            # an array that was written to reads what it holds first
            return direction.constant(left_to_the_other)
        if type(constant) in arrays_of and primal is not getitem:
            # it gives the traced value that it stands for
            return direction.constant(left_to_the_other)
        if isinstance(constant, TracedArray) or (is_container(constant) and primal is not getitem):
            # handles of several levels, of which the values say which is the inner one; an index
            # has none inside
            return None
        if is_outer(type(constant)):
            return None  # becomes an array first
    if getattr(primal, "nout", 1) != 1:
        return None
    try:
        run = run_of(
            direction, level.engine.plan(direction.mode, primal, tuple(map(type, values)), needs)
        )
    except NoRuleError:
        if any(map(answers_ufuncs, constants)):
            return direction.constant(left_to_the_other)
        raise
    if primal is not getitem:
        return run
    if type(values[1]) is tuple and direction is REVERSE:
        return reading_by_tuple(run)
    return reading_by_list(run) if type(values[1]) is list else run


def is_fraction(x: Any) -> bool:
    """Whether a value is a fraction of integers, which NumPy takes for an object."""
    return issubclass(type(x), Rational) and not issubclass(type(x), int | np.integer)


def float_of_fraction(x: Any) -> Any:
    """The float of a fraction; other values as they are."""
    return float(x) if is_fraction(x) else x


def with_a_float(run: Any, place: int) -> Any:
    """What an operator of a traced value and a fraction runs: the rule for a float in its place,
    counted from the front.
    """
    if run is None:
        return None
    if place == 0:
        return lambda *before_and_values: run(
            *before_and_values[:-2], float(before_and_values[-2]), before_and_values[-1]
        )
    return lambda *before_and_values: run(*before_and_values[:-1], float(before_and_values[-1]))


def run_of(direction: Direction, plan: Plan) -> Any:
    """What a plan's calls run in this direction; without derivative, its value and nothing to go
    with it.
    """
    return direction.runnable(plan) if plan.differentiable else direction.constant(plan.run)


def left_to_the_other(*args: Any) -> tuple[Any]:
    """What Python is told where the other operand has the say."""
    return (NotImplemented,)


def answers_ufuncs(x: Any) -> bool:
    """Whether an operand of which no rule knows has an answer of its own: it may hold arrays, and
    reach for traced ones.
    """
    own = getattr(type(x), "__array_ufunc__", None)
    return own is not None and own is not np.ndarray.__array_ufunc__


def reading_by_list(run: Any) -> Any:
    """What ``x[[0, 2]]`` runs: the rule on a copy of the list, which its owner may write to before
    the sweep.
    """
    return lambda *before_and_index: run(*before_and_index[:-1], own_list(before_and_index[-1]))


# Functions and methods


class Shortcut(NamedTuple):
    """What differentiates the calls of one key, and how their arguments become the rule's.

    `moved` are the names of the last positional arguments, which are options of the rule, and
    `defaults` those of all options. Where none is given at its default, and nothing else has to be
    arranged, the options go to the rule as they are. `moves_arrays` says that an option which is
    given by position is an array.
    """

    run: Any
    plan: Plan
    arrangement: Arrangement
    as_it_is: bool
    moved: tuple[str, ...]
    defaults: tuple[tuple[str, Any], ...]
    moves_arrays: bool


def shortcut_of(
    direction: Direction,
    level: Derivative,
    primal: Any,
    values: list[Any],
    companions: list[Any],
    options: dict[str, Any],
) -> Shortcut | None:
    """What a function runs for calls of this kind; None where they have to take the general way."""
    if level.closed or "out" in options or primal in writers:
        return None
    arrangement = level.engine.table.arrangement(primal, len(values), options)
    if arrangement is None:
        return None
    active = [companion is not direction.nothing for companion in companions]
    first, (values, arranged) = values[0], arrangement.arrange(values, options)
    if arrangement.adapt is not None and (values[0] is not first or any(active[1:])):
        return None  # which of the arguments came to be where is not known
    if any(active[len(values) :]):
        return None  # an option is traced: the general way says what to write instead
    types, needs = tuple(map(type, values)), tuple(active[: len(values)])
    if level.engine.wants_arrays(direction.mode, arrangement.primal, types, needs):
        return None
    plan = level.engine.plan(direction.mode, arrangement.primal, types, needs)
    if direction is REVERSE and any(
        need and is_container(values[i]) for i, need in enumerate(needs) if i in plan.kept_arguments
    ):
        return None  # of a container that is kept, the parts that are constants are copied
    moved = (
        arrangement.form.names[arrangement.arity : len(companions)]
        if arrangement.adapt is None
        else ()
    )
    moves_arrays = any(
        type(option) is np.ndarray for name, option in arranged.items() if name not in options
    )
    taken = plan.rule.options is None or plan.rule.options.issuperset([*options, *moved])
    if arrangement.adapt is not None or not taken:
        return Shortcut(run_of(direction, plan), plan, arrangement, False, (), (), moves_arrays)
    known = arrangement.form.defaults
    defaults = tuple((name, known[name]) for name in (*options, *moved) if name in known)
    return Shortcut(run_of(direction, plan), plan, arrangement, True, moved, defaults, moves_arrays)
