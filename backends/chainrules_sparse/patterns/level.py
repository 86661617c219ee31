"""`Patterns`: the level whose handles stand for tangents, and say on what their entries depend.

The value of a handle is zeros of the shape and dtype of the tangent, which take no memory: NumPy's
functions find the shape of a result with them. Nobody may ask for the numbers in it: a rule that
does raises `PatternUnknownError`, and then its result depends on all that its arguments do.
"""

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.introspection import frame_outside
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import fields, is_container
from chainrules_sparse.patterns import steps
from chainrules_sparse.patterns.memory import PatternMemory
from chainrules_sparse.patterns.rows import Rows
from chainrules_tape.arrays.behaviour import ArrayBehaviour, SequenceBehaviour
from chainrules_tape.arrays.operators import (
    define_logical_operators,
    define_operators,
    slow_binary,
    slow_getitem,
    slow_unary,
)
from chainrules_tape.arrays.protocols import array_function, array_ufunc
from chainrules_tape.core.dispatch import Derivative
from chainrules_tape.core.levels import SlowDispatchOnly
from chainrules_tape.core.plans import Engine
from chainrules_tape.refusals.code_owners import ENGINE
from chainrules_tape.refusals.errors import is_asked_by_another_library
from chainrules_tape.refusals.handles import TracedArray

# packages whose code calls functions on behalf of somebody
NOT_THE_USERS = frozenset({*ENGINE, "chainrules_py", "numpy", "scipy"})


class PatternUnknownError(TypeError):
    """A rule asks for the numbers in a tangent of which only the pattern is there."""


class Patterns(Derivative):
    """The level of one detection; `dense_because` says what made rows dense, and where."""

    __slots__ = ("dense_because",)
    mode = "patterns"  # type: ignore[assignment]
    nothing = None
    dense_because: dict[str, None]  # in the order in which they came

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, SlowDispatchOnly())
        self.dense_because = {}

    def mode_data(self, value) -> Any:
        """The rows of a handle; None for a constant."""
        return value.rows if self.owns(value) else None

    def handle(self, like, rows: Rows) -> Any:
        """Make the handle on a tangent with the shape and dtype of an array or number."""
        is_number = not isinstance(like, np.ndarray)
        made: Any = object.__new__(PatternNumber if is_number else PatternArray)
        if is_number:
            made.value = np.zeros((), like.dtype)[()]
        elif like.flags.writeable or any(like.strides):
            made.value = steps.without_memory(like.shape, like.dtype)
        else:
            made.value = like
        made.rows, made.level = rows, self
        return made

    def memory_like(self, root: np.ndarray) -> PatternMemory:
        """Memory for patterns, laid out as that of an array that is written to."""
        return PatternMemory(self, root)

    def applied(self, primal, args: Args, options: Options, run: Function) -> Any:
        """Run an operation in canonical form on patterns."""
        args = tuple([self.resolved(arg) for arg in args])
        options = {name: self.resolved(option) for name, option in options.items()}
        try:
            return steps.step_of(self.engine.table, primal, args)(self, primal, args, options)
        except steps.NotTold:
            pass
        try:
            return steps.by_units(self, primal, args, options)
        except steps.NotTold:
            self.note(primal)
        try:
            return steps.all_of_all(self, primal, args, options)
        except steps.NotTold as error:
            raise PatternUnknownError(f"{qualified_name(primal)} does not take zeros") from error

    def handles_in(self, value) -> Iterator[Any]:
        """The handles of this level in a value, or in the parts of a container."""
        if self.owns(value):
            yield value
        elif is_container(value):
            for part in fields(value).values():
                yield from self.handles_in(part)

    def holds_handles(self, value) -> bool:
        """Whether a value is a handle of this level, or a container with such."""
        return next(self.handles_in(value), None) is not None

    def note(self, primal) -> None:
        """Note a function of which is not known what it does with axes, and the user's line."""
        frame = frame_outside(NOT_THE_USERS)
        place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        self.dense_because[f"{qualified_name(primal)} at {place}"] = None


class PatternHandle(ArrayBehaviour, TracedArray):
    """A handle on a tangent of which only the pattern is known."""

    __slots__ = ("rows",)
    carries = "rows"
    rows: Rows
    __array_function__ = array_function
    __array_ufunc__ = array_ufunc

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.rows.count} rows of shape {self.shape})"

    def resolved(self, level: Any = None) -> Any:
        """The pattern as it is."""
        return self

    def __array__(self, *args, **options) -> Any:
        if is_asked_by_another_library():  # a product of scipy.sparse, which answers to that
            return super().__array__(*args, **options)
        return self.refuse_numbers()

    def refuse_numbers(self, *args, **options) -> NoReturn:
        """Raise, as there are no numbers."""
        raise PatternUnknownError("a pattern has no numbers")

    __bool__ = __float__ = __int__ = __complex__ = __index__ = refuse_numbers
    item = tolist = refuse_numbers
    __invert__ = slow_unary(np.invert)


class PatternArray(SequenceBehaviour, PatternHandle):
    """A handle on an array of which only the pattern is known."""

    __slots__ = ()


class PatternNumber(PatternHandle):
    """A handle on a number of which only the pattern is known."""

    __slots__ = ()
    is_number = True


define_operators(PatternHandle, slow_unary, slow_binary, slow_getitem)
define_logical_operators(PatternHandle, slow_binary)
