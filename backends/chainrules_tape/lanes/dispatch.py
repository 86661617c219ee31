"""Fast dispatch of operators, ufuncs and functions on examples in lanes.

The keys are those of `fast_dispatch`; what is found for one computes all lanes. A key does not tell
which arrays in a list have lanes. For calls with lists, a `RunsOfParts` is found instead, which has
a function for each pattern of lanes among the parts.
"""

from collections.abc import Sequence
from functools import partial
from operator import getitem
from types import EllipsisType, NoneType
from typing import Any, NamedTuple

from numpy import matmul, ndarray

from chainrules_py.annotations import Options
from chainrules_py.engines.call_plans import CanonicalCall
from chainrules_py.tangents import AbstractTangent
from chainrules_py.values.arrays import library_of
from chainrules_tape.arrays.fast_dispatch import function_of
from chainrules_tape.arrays.fast_lookup import (
    Direction,
    answers_ufuncs,
    by_reference,
    decides_by_itself,
    has_labels,
    has_the_say,
)
from chainrules_tape.arrays.protocols import Operation
from chainrules_tape.arrays.slow_operators import general
from chainrules_tape.core.guests import answer_of
from chainrules_tape.core.levels import call_traced, innermost
from chainrules_tape.lanes.level import (
    ARRAY_OF,
    HANDLES,
    WITHOUT_AXES,
    Lanes,
    array_of_number,
    dispatched,
    has_ellipsis,
    product_with_units,
)
from chainrules_tape.refusals.subclasses import is_labelled, refuse_others_in_lists


def unary_in_lanes(primal) -> Operation:
    """Make the operation of a primal with one argument in lanes."""

    def operation(x):
        level, value = x.level, x.value
        try:
            run = level.stages[primal, type(value)]
        except KeyError:
            run = found(level, (primal, type(value)), (value,), (True,))
        if run is None:
            return call_traced(primal, (x,), {})
        try:
            y = run(value)
        except Exception as error:
            y = level.after_failure(error, primal, (True,), (value,), {})
        if type(y) is ndarray and y.ndim and y.shape[0] == level.size:
            return level.handle(y)
        return level.wrap(primal, y)

    return operation


def binary_in_lanes(primal) -> Operation:
    """Make the operation of a primal with two arguments, one or both in lanes."""
    operation = operation_of_two(primal)
    return quick_with_units(operation) if primal is matmul else operation


def quick_with_units(matrix_product: Operation) -> Operation:
    """Make a matrix product that reads rows or columns where a factor holds all unit vectors."""

    def operation(x1, x2):
        chosen = product_with_units(x1, x2)
        return matrix_product(x1, x2) if chosen is None else chosen

    return operation


def operation_of_two(primal) -> Operation:
    """Make the operation of a primal with two arguments, without regard to what they hold."""

    def operation(x1, x2):
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
            pattern = key[3]
            lanes = (pattern != 2, pattern != 1)
            run = found(level, key, (value1, value2), lanes)
        if run is None:
            return general(primal, x1, x2)

        try:
            y = run(value1, value2)
        except Exception as error:
            own = key[3]
            y = level.after_failure(error, primal, (own != 2, own != 1), (value1, value2), {})
        if type(y) is ndarray and y.ndim and y.shape[0] == level.size:
            return level.handle(y)
        return y if y is NotImplemented else level.wrap(primal, y)

    return operation


def found(
    level: Lanes, key: tuple[Any, ...], values: tuple[Any, ...], lanes: tuple[bool, ...]
) -> Any:
    """Find what an operator runs for a new key, and store it; None for slow dispatch."""
    primal = key[0]
    constants = [value for value, lane in zip(values, lanes, strict=True) if not lane]
    if level.closed:
        return None
    if primal is not getitem and any(map(answers_alone, constants)):
        run: Any = left_to_the_other
    elif any(has_the_say(c, primal) or decides_by_itself(c, primal) for c in constants):
        run = None
    else:
        run = level.engine.batched(primal, tuple(map(type, values)), lanes)
    level.stages[key] = run
    return run


def answers_alone(constant) -> bool:
    """Tell whether a constant is no array of a library, and does operations itself: it is a special
    tangent, or has labels, or a unit.
    """
    cls: Any = type(constant)
    if isinstance(constant, AbstractTangent) or has_labels(constant):
        return True
    if answer_of(cls) is not None:
        return False
    return answers_ufuncs(constant) and library_of(cls) is None and not is_labelled(cls)


def left_to_the_other(*operands):
    """Let a special tangent, or an array with labels, say what its product with a value is."""
    return NotImplemented


getitem_of_known = binary_in_lanes(getitem)
BASIC = frozenset({int, slice, EllipsisType, NoneType})


def getitem_in_lanes(x, index) -> Any:
    """Read entries; some parts of an index may differ from lane to lane."""
    if type(index) is tuple:
        is_basic = BASIC.issuperset(map(type, index))  # nearly always; the rest takes 0.5 us more
        if not is_basic and innermost(index) is not None:
            return call_traced(getitem, (x, index), {})
        y = getitem_of_known(x, index)
        return array_of_number(y) if has_ellipsis(index) else y
    y = getitem_of_known(x, index)
    return array_of_number(y) if index is Ellipsis else y


# Functions and methods


class LaneRule(NamedTuple):
    """The functions that compute all lanes of a function's calls.

    The fields are those of `FunctionRule`. A rule for batching takes all options that its function
    takes, so that none is refused. `run` is the function that takes the arguments as they are
    arranged, and what computes its calls.
    """

    run: tuple[Any, Any]
    rule: None = None
    plan: None = None
    moves_arrays: bool = False


class RunsOfParts:
    """The functions that compute calls with arrays in lists, by the parts that have lanes."""

    def __init__(self, level: Lanes, primal, types: tuple[type, ...]) -> None:
        self.engine, self.primal, self.types = level.engine, primal, types
        self.runs: dict[Any, Any] = {}

    def of(self, values: Sequence[Any], lanes: tuple[Any, ...]) -> Any:
        """Find what computes a call; a loop over lanes has to dispatch where a part is traced."""
        refuse_others_in_lists(self.primal, values)
        is_traced = innermost(values) is not None
        try:
            return self.runs[lanes, is_traced]
        except KeyError:
            one_lane = partial(dispatched, self.primal) if is_traced else None
            run = self.engine.batched(self.primal, self.types, lanes, one_lane)
            return self.runs.setdefault((lanes, is_traced), run)


def bound_in_lanes(
    direction: Direction, level: Lanes, call: CanonicalCall, lanes: list[Any], options: Options
) -> LaneRule | None:
    """Bind the rule for batching of a call; None for slow dispatch."""
    primal, types = call.primal, call.types
    if primal is matmul:
        return None
    if any(type(own) is tuple for own in lanes):
        return LaneRule((primal, RunsOfParts(level, primal, types)))
    is_traced = innermost(call.values) is not None
    one_lane = partial(dispatched, primal) if is_traced else None
    return LaneRule((primal, level.engine.batched(primal, types, call.needs, one_lane)))


def lanes_of_parts(parts: dict[int, Any], count: int) -> tuple[bool, ...]:
    """Say of each part of a sequence whether it has lanes."""
    return tuple([position in parts for position in range(count)])


def has_lanes(handle) -> bool:
    """Say of a handle that it has lanes."""
    return True


def compute_all_lanes(
    level: Lanes,
    primal,
    bound: tuple[Any, Any],
    values: Sequence[Any],
    options: Options,
    lanes: list[Any],
    x,
) -> Any:
    """Compute all lanes of a function of `x` and others, and wrap the result."""
    arranged, run = bound
    if type(run) is RunsOfParts:
        lanes += [False] * (len(values) - len(lanes))
        run = run.of(values, tuple(lanes))
    try:
        y = run(*values, **options)
    except Exception as error:
        lanes += [False] * (len(values) - len(lanes))
        y = level.after_failure(error, arranged, tuple(lanes), tuple(values), options)
    if type(y) is not ndarray or not y.ndim or y.shape[0] != level.size or x.is_number:
        return level.wrap(primal, y, (x,))
    if y.ndim > 1:
        return level.handle(y if y.flags.c_contiguous else level.in_order(y))
    return level.wrap(primal, y, (x,)) if primal in WITHOUT_AXES else level.handle(y)


def as_it_is(run):
    """Return what is run: functions without derivative have lanes as all others."""
    return run


IN_LANES = Direction(
    mode="reverse",  # whose rules say which arguments become arrays first
    handles=ARRAY_OF,
    mode_data=has_lanes,
    nothing=False,
    together=lanes_of_parts,
    runnable=as_it_is,
    constant=as_it_is,
    owning=by_reference,
    bound=bound_in_lanes,
)
function_in_lanes = function_of(IN_LANES, compute_all_lanes)
