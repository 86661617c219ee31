"""The recording itself: calls are run on NumPy's arrays, and written down.

A recorded value is a `Value` of a subclass that answers operators and functions (`types`). The
operands of a step are recorded values and constants. A program may write into an array after it has
used it, so a constant array is copied into the step.
"""

import operator
import warnings
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy import ndarray

from chainrules_programs.recording import known_results
from chainrules_programs.recording.dependence import Dependence, identities, owner_of
from chainrules_programs.recording.errors import (
    is_of_numbers,
    refuse_recording,
)
from chainrules_programs.recording.places import Places
from chainrules_programs.recording.program import (
    Call,
    Guard,
    Step,
    Value,
    parts_of_operand,
    with_parts,
)
from chainrules_py.annotations import Args, Options
from chainrules_py.strong_zeros.strictness import is_strict, raised_errors, this_thread
from chainrules_py.values.captured_values import frozen
from chainrules_py.values.identity import qualified_name

_new: Any = object.__new__

# Classes of operands that hold no recorded value, and do not change.
PLAIN = frozenset(
    {
        *(int, float, complex, bool, str, bytes, type(None), type(Ellipsis), type, np.dtype),
        *(np.float64, np.float32, np.int64, np.int32, np.bool_, np.complex128, np.complex64),
    }
)


MOST_STEPS = 400_000  # whose recording takes two seconds, and whose passes up to twenty
PYTHON_NUMBERS = frozenset({int, float, complex, bool})
_NUMBERS = (np.generic, float, complex, int)


class RecordedValue(Value):
    """A value of a recording that is under way; `types` has its two classes."""

    __slots__ = ()
    __hash__: Any = None


class Recording:
    """The steps that were written down so far, their values, and the arrays of the caller.

    `array_class`, `number_class` and `python_class` are the classes of recorded values.
    `strictness` says whether a pullback runs strictly (see `chainrules_py.strong_zeros`).
    """

    def __init__(self, array_class, number_class, python_class) -> None:
        self.array_class, self.number_class = array_class, number_class
        self.python_class = python_class
        self.steps: list[Step] = []
        self.values: list[Any] = []
        self.callers: set[int] = set()  # identities of the arrays that own the arguments' memory
        # by the same identities: such an array that was written to, and a copy of what it held
        self.saved: dict[int, tuple[Any, Any]] = {}
        self.overwritten: set[int] = set()  # identities of the arrays that own such memory
        self.holders: dict[int, Any] = {}  # the first value of an array, by the array's identity
        # that of a call which raises for some numbers only: the program may go on after it
        self.failed: Exception | None = None
        self.dependence = Dependence()
        self.on_numbers: dict[Any, bool] = {}  # which rules run as steps (`rules_on_numbers`)
        self.held = 0  # how many of `values` are in `holders`
        self.constants: dict[int, tuple[Any, Any]] = {}
        # the same number of NumPy's, or of Python's, by the identity of a value
        self.forms: dict[int, Any] = {}
        self.strictness = this_thread.strictness
        # what raises outside of the function: floating-point errors, and warnings
        self.outside = raised_errors(), warnings.filters
        self.raised: Set[str] = frozenset()
        self.places = Places()
        self.place = self.places.place

    # Values

    def input(self, leaf) -> Any:
        """The recorded value on a leaf of the arguments."""
        if type(leaf) is ndarray:
            self.callers.add(id(owner_of(leaf)))
        made = self.value(leaf)
        self.dependence.found |= identities(made)
        return made

    def value(self, y) -> Any:
        """The recorded value on an array or a number."""
        cls = type(y)
        if cls is ndarray:
            made = _new(self.array_class)
        else:
            made = _new(self.python_class if cls in PYTHON_NUMBERS else self.number_class)
        made.array, made.name, made.recording = y, None, self
        self.values.append(made)
        return made

    def converted(self, number, kind: type) -> Any:
        """A recorded number as one of Python's or of NumPy's, in either direction once."""
        found = self.forms.get(id(number))
        if found is None:
            found = self.call(kind, (number,), {})
            self.forms[id(number)], self.forms[id(found)] = found, number
        return found

    def holder(self, array) -> Any:
        """The first value that holds an array; the array itself where none does."""
        for value in self.values[self.held :]:
            self.holders.setdefault(id(value.array), value)
        self.held = len(self.values)
        return self.holders.get(id(array), array)

    def note(self, primal, args: Args, options: Options, found) -> Call:
        """Write a call down; nobody looks for the user's line in a pullback."""
        if self.strictness.applies or is_strict(self.strictness):
            step = Call(primal, args, options, found, None, None, True)
        else:
            step = Call(primal, args, options, found, self.place())
            self.note_raised()
        self.steps.append(step)
        if len(self.steps) > MOST_STEPS:
            refuse_recording(
                f"more than {MOST_STEPS:,} steps",
                "a program of them would be compiled for minutes",
                "compile what a loop of it repeats, or leave it to the tape",
            )
        return step

    def note_raised(self) -> None:
        """Note which errors of numbers raise here that do not outside of the function."""
        raised, filters = self.outside
        self.raised |= raised_errors() - raised
        if (
            warnings.filters is not filters
            and warnings.filters
            and warnings.filters[0][0] == "error"
        ):
            self.raised |= np.geterr().keys()

    def results(self, y, primal) -> Any:
        """Return the result of a call with its arrays and numbers replaced by recorded ones."""
        cls = type(y)
        if (cls is ndarray and y.dtype.kind in "fciub") or issubclass(cls, _NUMBERS):
            return self.value(y)
        if cls in (tuple, list, dict) or (issubclass(cls, tuple) and hasattr(cls, "_fields")):
            return with_parts(y, lambda part: self.results(part, primal))
        if y is None:
            return y
        return refuse_recording(
            qualified_name(primal),
            f"it returned a {cls.__module__}.{cls.__qualname__}",
            "call it outside of the function that is compiled, or leave it to the tape",
        )

    # Steps

    def call(self, primal, args: Args, options: Options) -> Any:
        """Run a function on the arrays that are recorded, and write the call down."""
        given = tuple([arg if type(arg) in PLAIN else unwrapped(arg) for arg in args])
        named = unwrapped(options) if options else options
        y = self.attempted(primal, given, named)
        if primal in known_results.OF_FORM:
            return y
        if is_of_objects(y) and not self.depends((args, options)):
            return y  # a constant, as it is where nobody asks the recording
        found = self.results(y, primal)
        self.note(primal, self.kept(args), self.kept(options) if options else options, found)
        given = (*args, *options.values()) if options else args
        if not known_results.follows_shapes(primal, args) or has_integers(given):
            self.guard_form(found)
        return found

    def attempted(self, primal, args, options: Options) -> Any:
        """Run a function on plain arrays; what it raises because of numbers is noted."""
        try:
            return primal(*args, **options)
        except Exception as error:
            self.note_failure(error)
            raise

    def call_ufunc(self, ufunc, args: Args) -> Any:
        """As `call`, for a ufunc on arrays and numbers, whose results have known shapes."""
        given, are_recorded = [], True
        for arg in args:
            if issubclass(type(arg), RecordedValue):
                given.append(arg.array)
            else:
                given.append(arg if type(arg) in PLAIN else unwrapped(arg))
                are_recorded = False
        return self.run_ufunc(ufunc, args if are_recorded else self.kept(args), given)

    def run_ufunc(self, ufunc, args: Args, given: list[Any]) -> Any:
        """Run a ufunc on arrays and numbers, and write down its call on what they are here."""
        try:
            y = ufunc(*given)
        except Exception as error:
            self.note_failure(error)
            raise
        found = self.results(y, ufunc) if type(y) is tuple else self.value(y)
        self.note(ufunc, args, {}, found)
        return found

    def read(self, array, index) -> Any:
        """Read entries; how many a mask selects is guarded."""
        if type(index) is int and type(array) is self.array_class:  # nearly always
            made = self.value(array.array[index])
            self.note(operator.getitem, (array, index), {}, made)
            return made
        try:
            made = self.value(unwrapped(array)[unwrapped(index)])
        except IndexError as error:
            if recording_in((index,)) is not None:
                self.note_failure(error)
            raise
        self.note(operator.getitem, (self.kept(array), self.kept(index)), {}, made)
        if shape_depends(index):
            self.guard(np.shape, made)
        return made

    @contextmanager
    def left_out(self, always: bool = True) -> Iterator[None]:
        """Write down nothing of what is done meanwhile, of which no value may be used later; only
        where it raises, if not `always`.
        """
        count, known, failed = len(self.steps), dict(self.forms), self.failed
        is_kept = False
        try:
            yield
            is_kept = not always
        finally:
            if not is_kept:
                del self.steps[count:]
                self.dependence.seen = min(self.dependence.seen, count)
                self.forms, self.failed = known, failed

    def note_failure(self, error: Exception) -> None:
        """Note an error by which the user's code may see numbers, if it catches it.

        Errors of shapes and types are not: all calls that a program covers have them.
        """
        if is_of_numbers(error) and not is_strict(self.strictness):
            self.failed = error

    def call_into(self, primal, args: Args, options: Options, into) -> Any:
        """Run a function that writes its result into a recorded array."""
        self.before_write(primal, into)
        given = [arg.array if type(arg) is self.array_class else unwrapped(arg) for arg in args]
        named = unwrapped(options) if options else options
        self.attempted(primal, given, {**named, "out": into.array})
        kept = self.kept(options) if options else options
        self.note(primal, self.kept(args), kept, into).into = into
        return into

    def before_write(self, primal, target) -> None:
        """Refuse writes that nobody would see, and keep what the caller's arrays held."""
        if type(target) is not self.array_class:
            refuse_recording(
                f"{qualified_name(primal)} into an array",
                "the array was not made of the arguments",
                "make it with numpy.zeros_like(x)",
            )
        memory = owner_of(target.array)
        if id(memory) in self.dependence.given_out:
            got = "other code has read the numbers of x as constants"
            refuse_recording("x[index] = v", got, "write into x before that")
        self.overwritten.add(id(memory))
        if id(memory) in self.callers and id(memory) not in self.saved:
            self.saved[id(memory)] = memory, memory.copy()

    def restore(self) -> None:
        """Undo what was written into the caller's arrays: the call is run again by other means."""
        for memory, before in self.saved.values():
            memory[...] = before

    def call_on_first(self, primal, target, *others) -> None:
        """Run a function that writes into its first argument, such as `operator.setitem`."""
        self.before_write(primal, target)
        self.attempted(primal, (target.array, *map(unwrapped, others)), {})
        step = self.note(primal, (target, *map(self.kept, others)), {}, None)
        step.into = target
        if primal is operator.setitem:  # computes nothing that could be invalid
            step.strict = False

    def add_at(self, target, index, values) -> None:
        """Add to known entries of a recorded array, in one step: passes write it as its parts."""
        self.before_write(np.add.at, target)
        part = target.array[index]
        part += unwrapped(values)
        target.array[index] = part
        step = self.note(np.add.at, (target, index, self.kept(values)), {}, None)
        step.into, step.note = target, part

    def guard(self, question: Callable[[Any], Any], operand) -> Any:
        """Record a question about a value with its answer, and return the answer."""
        answer = self.attempted(question, (unwrapped(operand),), {})
        self.steps.append(Guard(question, operand, answer, self.place()))
        return answer

    def guard_form(self, found) -> None:
        """Guard the shape and the type of numbers of each array of a result."""
        for part in parts_of_operand(found):
            if part is not None and type(part.array) is ndarray:
                self.guard(np.shape, part)
            if part is not None and hasattr(part.array, "dtype"):
                self.guard(np.result_type, part)

    # Constants

    def depends(self, operand) -> bool:
        """Whether some value among an operand's parts depends on an argument."""
        return self.dependence.of(operand, self.steps)

    def kept(self, operand) -> Any:
        """An operand as it is written down: what the program may change is copied."""
        cls = type(operand)
        if cls in PLAIN or issubclass(cls, RecordedValue):
            return operand
        if cls is tuple:
            for part in operand:
                if not issubclass(type(part), RecordedValue) and type(part) not in PLAIN:
                    return tuple([self.kept(part) for part in operand])
            return operand
        if cls is ndarray:
            return self.kept_array(operand)
        if cls is list or cls is dict or (issubclass(cls, tuple) and hasattr(cls, "_fields")):
            return with_parts(operand, self.kept)
        return frozen(operand) if callable(operand) else operand

    def kept_array(self, array) -> Any:
        """A copy of an array that is a constant, one for as long as nobody writes into it."""
        held, copy = self.constants.get(id(array), (None, None))
        if held is array and same_bits(array, copy):
            return copy
        copy = array.copy("K")
        self.constants[id(array)] = array, copy
        return copy


def is_of_objects(y) -> bool:
    """Whether a result is an array of Python's objects."""
    return type(y) is ndarray and y.dtype.hasobject


def same_bits(a: ndarray, b: ndarray) -> bool:
    """Whether two arrays have the same bits, those of nan included; of objects, the same ones."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def unwrapped(operand) -> Any:
    """An operand with arrays and numbers in the place of recorded values, in containers too."""
    cls = type(operand)
    if issubclass(cls, RecordedValue):
        return operand.array
    if cls in PLAIN or cls is ndarray:
        return operand
    if cls is tuple:  # a shape, nearly always
        is_plain = PLAIN.issuperset(map(type, operand))
        return operand if is_plain else tuple([unwrapped(part) for part in operand])
    if cls is dict:
        return {key: unwrapped(part) for key, part in operand.items()}
    if cls in (slice, list) or (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        return with_parts(operand, unwrapped)
    return operand


def shape_depends(index) -> bool:
    """Whether the shape of what an index reads depends on recorded values: masks and ends of slices."""
    cls = type(index)
    if cls is tuple:
        return any(map(shape_depends, index))
    if cls is slice:
        return recording_in(index) is not None
    if issubclass(cls, RecordedValue):
        return bool(np.result_type(index.array).kind == "b")
    return False


def has_integers(args) -> bool:
    """Whether a recorded integer is among operands: an axis or a length, which shapes depend on."""
    for arg in args:
        cls = type(arg)
        if issubclass(cls, RecordedValue):
            if issubclass(type(arg.array), (int, np.integer)):
                return True
        elif (cls is tuple or cls is list) and has_integers(arg):
            return True
    return False


def recording_in(operand) -> Recording | None:
    """The recording of a recorded value among an operand's parts; None where there is none."""
    cls = type(operand)
    if issubclass(cls, RecordedValue):
        return operand.recording
    if cls is slice:
        operand = operand.start, operand.stop, operand.step
    elif issubclass(cls, dict):
        operand = operand.values()
    elif not issubclass(cls, tuple | list):
        return None
    return next(filter(None, map(recording_in, operand)), None)
