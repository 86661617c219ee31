"""Many examples at once: values that differ from example to example, each in a lane of its own.

A handle stands for one example, and has the shape of one. Its value is an array with all of them,
whose first axis is the lanes. An operation runs by the rule for batching of its function, or in a
loop where there is none. Nothing is recorded: derivatives outside of this level see operations on
arrays with lanes, and derivatives inside see an array of one example.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from numpy import matmul, ndarray

from chainrules_py.batching.failures import one_after_the_other
from chainrules_py.batching.lanes import Same
from chainrules_py.errors import BatchingError, ChainRulesError
from chainrules_py.strong_zeros.strictness import is_strict, this_thread
from chainrules_py.values.arrays import library_of, library_of_types
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.plain_code import say_plain
from chainrules_py.values.structure import fields, is_container, rebuild
from chainrules_tape.core.dispatch import Derivative, with_arrays
from chainrules_tape.core.levels import call, innermost, open_level
from chainrules_tape.core.plans import Engine
from chainrules_tape.core.tracing import Function
from chainrules_tape.core.values import resolved
from chainrules_tape.refusals.errors import warn_of_refusals
from chainrules_tape.refusals.explaining import explain_error
from chainrules_tape.refusals.handles import HandleClasses, TracedArray


class LaneHandle(TracedArray):
    """A handle on one example of many; `arrays.handles` has its classes."""

    __slots__ = ("storage",)
    in_lanes = True
    carries = "level"
    storage: Any  # since the first write: see `in_place`
    is_unit = False  # whether it stands for unit vectors, and is no array yet: see `lanes.units`

    def chosen_from(self, rows: Any) -> Any:
        """The rows of a matrix that the unit vectors of the lanes choose."""
        raise NotImplementedError


ARRAY_OF = HandleClasses()  # by the class of the array with lanes, whatever rank a lane has
NUMBER_OF = HandleClasses()
HANDLES: set[type] = ARRAY_OF.classes
NUMBER_OF.classes = HANDLES  # those over libraries that join later, too


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

    def handle(self, y: Any) -> Any:
        """Make the handle on one example of an array with lanes."""
        classes = NUMBER_OF if y.ndim == 1 else ARRAY_OF
        made: Any = object.__new__(classes[type(y)])
        made.value, made.level = y, self
        return made

    def mode_data(self, value: Any) -> Any:
        """Whether an argument has lanes; of a container, a tuple that says so of each part."""
        if isinstance(value, TracedArray):
            return value.level is self
        if not is_container(value):
            return False
        lanes = tuple([self.mode_data(part) for part in fields(value).values()])
        return lanes if any(lanes) else False

    def applied(
        self, primal: Any, args: tuple[Any, ...], options: dict[str, Any], run: Callable[..., Any]
    ) -> Any:
        """Run an operation in canonical form by its rule for batching, or in a loop."""
        if primal is matmul and not options and (found := product_with_units(*args)) is not None:
            return found

        args = tuple([self.resolved(arg) for arg in args])
        lanes = tuple([self.mode_data(arg) for arg in args])
        pairs = zip(args, lanes, strict=True)
        values = tuple([self.strip(arg) if lane else arg for arg, lane in pairs])
        types = tuple(map(type, values))
        needs = tuple(map(bool, lanes))
        if self.engine.wants_arrays("reverse", primal, types, needs):
            return call(primal, with_arrays(args), options)

        named = [(name, self.mode_data(each)) for name, each in options.items()]
        laned_options = [name if lane is True else (name, lane) for name, lane in named if lane]
        options = {name: self.strip(self.resolved(each)) for name, each in options.items()}

        is_traced = innermost((*values, *options.values())) is not None
        one_lane = partial(dispatched, primal) if is_traced else None
        lanes = (*lanes, *laned_options)
        function = self.engine.table.in_lanes(primal, types, lanes, one_lane)
        try:
            y = function(*values, **options)
        except Exception as error:
            y = self.after(error, primal, lanes, values, options)
        return self.wrap(primal, y)

    def after(
        self,
        error: Exception,
        primal: Any,
        lanes: Any,
        values: tuple[Any, ...],
        options: dict[str, Any],
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
            run = library_of_types(map(type, values)).implementation(primal)
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

    def wrap(self, primal: Any, y: Any) -> Any:
        """Make the handles on a result: it has lanes, but for what says that it is the same."""
        if type(y) is Same:
            return y.value
        if is_container(y):
            parts = fields(y)
            return rebuild(y, {key: self.wrap(primal, part) for key, part in parts.items()})
        self.refuse_own(primal, y)
        y = resolved(y)
        if not getattr(y, "ndim", 0) or y.shape[0] != self.size:
            self.refuse_result(primal, y)
        return self.handle(y)

    def refuse_result(self, primal: Any, y: Any) -> None:
        """Raise for the result of a rule that has not as many lanes as its arguments."""
        where = f"batched({qualified_name(primal)})"
        got = f"a result of shape {getattr(y, 'shape', ())} for {self.size} lanes"
        raise BatchingError(where, got, "return an array with lanes first, or Same(y)")


def dispatched(primal: Any, *args: Any, **options: Any) -> Any:
    """Call a function on values of an outer level, which need not reach it by NumPy's protocols."""
    return call(primal, args, options)


def product_with_units(x1: Any, x2: Any) -> Any:
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
    args: tuple[Any, ...],
    options: dict[str, Any],
    is_resolved: bool = False,
) -> Any:
    """Run a function whose arguments hold handles of a level, and close the level.

    `is_resolved` says that the function's results are what no write changes.
    """
    before = say_plain(False)
    open_level(level.serial)
    try:
        y = function(*args, **options)
        if not is_resolved:
            y = level.resolved(y)
        if level.failure is not None and not level.failure.is_handled:
            raise level.failure
        if level.refused is not None:
            warn_of_refusals(level)
        return y
    except Exception as error:
        explain_error(level, error)
        failure = level.failure
        if (
            failure is not None
            and not failure.is_handled
            and not isinstance(error, ChainRulesError)
        ):
            raise failure from error  # of which it came, as where NumPy rewords one
        raise
    finally:
        say_plain(before)
        level.close()
