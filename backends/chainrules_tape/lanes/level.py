"""Many examples at once: values that differ from example to example, each in a lane of its own.

A handle stands for one example, and has the shape of one. Its value is an array with all of them,
whose first axis is the lanes. An operation runs by the rule for batching of its function, or in a
loop where there is none. Nothing is recorded: derivatives outside of this level see operations on
arrays with lanes, and derivatives inside see an array of one example.
"""

import operator
from functools import partial
from itertools import repeat
from types import EllipsisType
from typing import Any

import numpy as np
from numpy import matmul, ndarray

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.batching.failures import one_after_the_other
from chainrules_py.batching.lanes import Same, lanes_outermost, refuse_result
from chainrules_py.errors import BatchingError, ChainRulesError
from chainrules_py.strong_zeros.strictness import is_strict, this_thread
from chainrules_py.values.arrays import library_of, making
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.plain_code import say_plain
from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_tape.core.dispatch import Derivative, with_arrays
from chainrules_tape.core.levels import call_traced, innermost, open_level, open_levels, undecided
from chainrules_tape.core.plans import Engine
from chainrules_tape.core.values import resolved
from chainrules_tape.in_place.regions import index_of_distinct, is_broadcast
from chainrules_tape.refusals.explaining import explain_error, warn_of_refusals
from chainrules_tape.refusals.handles import HandleClasses, TracedArray, plain
from chainrules_tape.refusals.subclasses import refuse_others_in_lists


class LaneHandle(TracedArray):
    """A handle on one example of many; `arrays.handles` has its classes."""

    __slots__ = ("storage",)
    in_lanes = True
    carries = "level"
    storage: Any  # since the first write: see `in_place`
    is_unit = (
        False  # whether it stands for unit vectors, and is no array yet: see `lanes.unit_vectors`
    )

    def chosen_from(self, rows) -> Any:
        """The rows of a matrix that the unit vectors of the lanes choose."""
        raise NotImplementedError


ARRAY_OF = HandleClasses()  # by the class of the array with lanes, whatever rank a lane has
NUMBER_OF = HandleClasses()
HANDLES: set[type] = ARRAY_OF.classes
# those over libraries that join later, too
NUMBER_OF.classes = HANDLES

# What has no axes is a number, as most functions give it, or an array, as these give it:
_MAKING_ARRAYS = (
    *("array", "asarray", "asanyarray", "copy", "full", "full_like", "broadcast_to"),
    *("broadcast_arrays", "where", "tensordot", "real_if_close", "i0", "cov"),
)
_KEEPING_ARRAYS = ("reshape", "squeeze", "transpose", "real", "imag", "astype", "moveaxis", "conj")
MAKING_ARRAYS = frozenset(getattr(np, name) for name in _MAKING_ARRAYS)
# these give numbers of numbers; as methods, others do than as functions
KEEPING_ARRAYS = frozenset(
    (
        *(getattr(np, name) for name in _KEEPING_ARRAYS if name != "conj"),
        *(getattr(np.ndarray, name) for name in _KEEPING_ARRAYS if name != "moveaxis"),
    )
) - {np.ndarray.real, np.ndarray.imag}
WITHOUT_AXES = MAKING_ARRAYS | KEEPING_ARRAYS | {operator.getitem}


class Lanes(Derivative):
    """One `vmap`: it hands operations to rules for batching."""

    __slots__ = ("failure", "size")
    mode = "batching"
    nothing = False
    size: int  # how many lanes there are
    failure: BatchingError | None  # the first one, which the program may have caught

    def __init__(self, engine: Engine, size: int) -> None:
        super().__init__(engine, engine.in_lanes)
        self.size = size
        self.failure = None

    def handle(self, y) -> Any:
        """Make the handle on one example of an array with lanes."""
        classes = NUMBER_OF if y.ndim == 1 else ARRAY_OF
        made: Any = object.__new__(classes[type(y)])
        made.value, made.level = y, self
        return made

    def handle_beside_numbers(self, primal, y, args: Args) -> Any:
        """Make the handle on a result that has no axes, or whose arguments have none.

        A number has no memory that others could share, though its lanes are a view of some.
        """
        is_array = y.ndim > 1 or (primal in WITHOUT_AXES and gives_array(primal, *args))
        if is_array and any(map(is_shared_number, args, repeat(y))):
            y = in_own_memory(y)
        made = self.handle(self.in_order(y))
        return array_of_number(made) if is_array else made

    def in_order(self, y) -> Any:
        """A result whose lanes lie in memory as one example does: code that writes can tell."""
        return lanes_outermost(y)

    def mode_data(self, value) -> Any:
        """Whether an argument has lanes; of a container, a tuple that says so of each part."""
        if isinstance(value, TracedArray):
            return value.level is self
        if not is_container(value):
            return False
        lanes = tuple([self.mode_data(part) for part in fields(value).values()])
        return lanes if any(lanes) else False

    def run_body(self, primal, body: Function, args: Args, options: Options) -> Any:
        """Run the program that a function is; what it raises, it may raise for some lanes alone."""
        try:
            return body(*args, **options)
        except Exception as error:
            lanes = tuple([self.mode_data(arg) for arg in args])
            values = tuple([self.strip(self.resolved(arg)) for arg in args])
            y = self.after_failure(error, primal, lanes, values, options)
        return self.wrap(primal, y, args)

    def applied(self, primal, args: Args, options: Options, run: Function) -> Any:
        """Run an operation in canonical form by its rule for batching, or in a loop."""
        if primal is matmul and not options and (found := product_with_units(*args)) is not None:
            return found

        args = tuple([self.resolved(arg) for arg in args])
        lanes = tuple([self.mode_data(arg) for arg in args])
        pairs = zip(args, lanes, strict=True)
        values = tuple([self.strip(arg) if lane else arg for arg, lane in pairs])
        refuse_others_in_lists(primal, values)
        types = tuple(map(type, values))
        needs = tuple(map(bool, lanes))
        if self.engine.wants_arrays("reverse", primal, types, needs):
            return call_traced(primal, with_arrays(args), options)

        named = [(name, self.mode_data(each)) for name, each in options.items()]
        laned_options = [name if lane is True else (name, lane) for name, lane in named if lane]
        options = {name: self.strip(self.resolved(each)) for name, each in options.items()}

        is_traced = innermost((*values, *options.values())) is not None
        one_lane = partial(dispatched, primal) if is_traced else None
        lanes = (*lanes, *laned_options)
        function = self.engine.batched(primal, types, lanes, one_lane)
        try:
            y = function(*values, **options)
        except Exception as error:
            y = self.after_failure(error, primal, lanes, values, options)
        return self.wrap(primal, y, args)

    def after_failure(
        self,
        error: Exception,
        primal,
        lanes,
        values: tuple[Any, ...],
        options: Options,
    ) -> Any:
        """The result of a call that has raised in lanes, computed one lane after the other.

        Raises what all lanes raise, or a `BatchingError` where they differ. An error by which a
        strict derivative is made anew is raised again.
        """
        is_of_strictness = type(error) is FloatingPointError and is_strict(this_thread.strictness)
        if not self.size or is_of_strictness:
            raise error
        if isinstance(error, BatchingError):
            self.note_failure(error)
            raise error
        if innermost((*values, *options.values())) is not None:
            run: Any = partial(dispatched, primal)
        else:
            run = making.implementation(primal, map(type, values))
        where = f"vmap({qualified_name(primal)})"
        try:
            return one_after_the_other(where, run, lanes, values, options)
        except BatchingError as failure:
            self.note_failure(failure)
            raise

    def note_failure(self, failure: BatchingError) -> None:
        """Note that the lanes differ, because the program may catch the error."""
        if self.failure is None or self.failure.is_handled:
            self.failure = failure

    def wrap(self, primal, y, args: Args = ()) -> Any:
        """Make the handles on a result: it has lanes, but for what says that it is the same.

        Which are the arguments decides about numbers (`handle_beside_numbers`).
        """
        if type(y) is Same:
            return y.value
        if is_container(y):
            parts = fields(y)
            return rebuild(y, {key: self.wrap(primal, part, args) for key, part in parts.items()})
        self.refuse_own(primal, y)
        y = resolved(y)
        if not getattr(y, "ndim", 0) or y.shape[0] != self.size:
            refuse_result(primal, y, self.size)
        return self.handle_beside_numbers(primal, y, args)


def gives_array(primal, *args) -> bool:
    """Whether what a function in `WITHOUT_AXES` gives without axes is an array, and no number."""
    if primal is operator.getitem:
        return any(map(has_ellipsis, args[1:]))
    if primal in MAKING_ARRAYS:
        return True
    return any(type(x) in HANDLES and not x.is_number for x in args)


def has_ellipsis(index) -> bool:
    """Whether there is an ellipsis in an index: what it reads is an array, also without axes."""
    if type(index) is tuple:
        return EllipsisType in map(type, index)
    return index is Ellipsis


def is_shared_number(x, y) -> bool:
    """Whether an argument is a number in lanes, in whose memory a result lies."""
    if type(x) not in HANDLES or not x.is_number:
        return False
    values = plain(x), plain(y)
    return type(values[0]) is type(values[1]) is ndarray and np.may_share_memory(*values)


def in_own_memory(y) -> Any:
    """A copy of an array, in which what was broadcast is broadcast again."""
    if is_broadcast(y):
        return np.broadcast_to(np.copy(y[index_of_distinct(y)]), y.shape)
    return np.copy(y)


def array_of_number(x) -> Any:
    """The handle on an array without axes in the place of one on numbers; others as they are."""
    return in_another_form(x) if type(x) in HANDLES and x.is_number else x


def in_another_form(x) -> Any:
    """The handle on arrays without axes, given one on numbers, or the reverse."""
    classes = ARRAY_OF if x.is_number else NUMBER_OF
    made: Any = object.__new__(classes[type(x.value)])
    made.value, made.level = x.value, x.level
    return made


def dispatched(primal, *args, **options):
    """Call a function on values of an outer level, which need not reach it by NumPy's protocols."""
    return call_traced(primal, args, options)


def product_with_units(x1, x2) -> Any:
    """The product of a matrix that is the same in all lanes, and one unit vector in each: a row or
    a column. None for all other operands.
    """
    is_first = getattr(type(x1), "is_unit", False)
    if is_first:
        units, matrix = x1, x2
    elif getattr(type(x2), "is_unit", False):
        units, matrix = x2, x1
    else:
        return None
    shape, dtype, _ = units.storage
    if len(shape) != 1 or getattr(matrix, "ndim", 0) != 2:
        return None
    if type(matrix) is not ndarray:
        is_sparse = library_of(type(matrix)) is None
        if is_sparse or units.level.owns(matrix):
            return None
    height, width = matrix.shape
    if matrix.dtype != dtype or shape[0] != (height if is_first else width):
        return None
    return units.chosen_from(matrix if is_first else matrix.T)


def trace_in_lanes(
    level: Lanes,
    function: Function,
    args: Args,
    options: Options,
    is_resolved: bool = False,
) -> Any:
    """Run a function whose arguments hold handles of a level, and close the level.

    `is_resolved` says that the function's results are what no write changes.
    """
    before = say_plain(False)
    try:
        open_level(level.serial, function)
        undecided.add(level.serial)
        y = function(*args, **options)
        if not is_resolved:
            y = level.resolved(y)
        if level.failure is not None and not level.failure.is_handled:
            raise level.failure
        if level.refused is not None:
            warn_of_refusals(level)
        level.close()
        return y
    except Exception as error:
        explain_error(level, error)
        failure = level.failure
        if (
            failure is not None
            and not failure.is_handled
            and not isinstance(error, ChainRulesError)
        ):
            raise failure from None  # NumPy, say, has reworded it
        raise
    finally:
        open_levels.pop(level.serial, None)
        undecided.discard(level.serial)
        say_plain(before)
        if not level.closed:
            level.close()
