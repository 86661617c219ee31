"""The classes of recorded values, which answer operators, methods and NumPy's functions.

    Recorded         an array
    RecordedNumber   a number: NumPy's scalar, or one of Python's

They say that their class is that of what they hold, as handles of the tape do: Python code decides
by `isinstance` what is an array. ``type(x)`` tells the truth.
"""

import math
import operator
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy import ndarray

from chainrules_programs.recording.dependence import owner_of
from chainrules_programs.recording.errors import refuse_recording
from chainrules_programs.recording.operations import (
    PLAIN,
    PYTHON_NUMBERS,
    RecordedValue,
    recording_in,
    unwrapped,
)
from chainrules_programs.recording.operators import BINARY, COMPARISONS, UNARY
from chainrules_py.annotations import Args, Function, Options
from chainrules_py.calls.callform import CallForm
from chainrules_py.calls.method_names import METHODS, RARER_METHODS
from chainrules_py.introspection import frame_above
from chainrules_tape.refusals.errors import is_asked_by_another_library
from chainrules_tape.refusals.other_libraries import is_operation_of_another_library

GUARDED = 2**12  # bytes of a mask whose entries a program may depend on
_NUMPYS = (ndarray, np.generic)
_OPERANDS = (ndarray, np.generic, int, float, complex, list, tuple)


def binary(python: Function, ufunc, is_reflected: bool = False) -> Callable[[Any, Any], Any]:
    """The operator of recorded values that is a ufunc; of two numbers of Python's it is Python's."""

    def operate(self, other) -> Any:
        cls = type(other)
        if cls in RECORDED:
            b, kept = other.array, other
        elif cls in PLAIN:
            b = kept = other
        elif issubclass(cls, _OPERANDS):
            b, kept = unwrapped(other), self.recording.kept(other)
        elif is_sparse(cls):
            pair = (other.copy(), self) if is_reflected else (self, other.copy())
            return self.recording.call(python, pair, {})
        else:
            return NotImplemented
        a, recording = self.array, self.recording
        is_pythons = type(a) in PYTHON_NUMBERS and type(b) in PYTHON_NUMBERS
        try:
            y = python(b, a) if is_reflected else python(a, b)
        except Exception as error:
            recording.note_failure(error)
            raise
        if is_pythons and python is operator.pow:
            guard_class(*((kept, self) if is_reflected else (self, kept)))
        primal = python if is_pythons else ufunc
        made = recording.results(y, primal) if type(y) is tuple else recording.value(y)
        recording.note(primal, (kept, self) if is_reflected else (self, kept), {}, made)
        return made

    return operate


def guard_class(base, exponent) -> None:
    """Guard that a power of Python's numbers is real or complex, as it is now: that of a negative
    number and a broken exponent is complex.
    """
    if type(unwrapped(base)) is complex or type(unwrapped(exponent)) in (complex, int, bool):
        return
    is_negative = bool(base < 0)  # a question, where the base is recorded
    if is_negative and issubclass(type(exponent), RecordedValue):
        bool(exponent % 1 == 0)


def is_sparse(cls: type) -> bool:
    """Whether a class is one of SciPy's sparse matrices."""
    return cls.__module__.startswith("scipy.sparse.")


def apparent_class(x) -> type:
    """The class that a recorded value says it has; products of sparse matrices leave it to it."""
    cls = type(x.array)
    return type(x) if cls is ndarray and is_operation_of_another_library(frame_above(1)) else cls


def unary(python: Function, ufunc) -> Callable[[Any], Any]:
    """The operator of one recorded value that is a ufunc; of a number of Python's it is Python's."""

    def operate(self) -> Any:
        if type(self.array) in PYTHON_NUMBERS:
            return self.recording.call(python, (self,), {})
        return self.recording.call_ufunc(ufunc, (self,))

    return operate


def in_place(python: Function, ufunc) -> Callable[[Any, Any], Any]:
    """The assignment ``x += y`` into the memory of a recorded array."""
    operate = binary(python, ufunc)
    primal = np.power if python is operator.pow else ufunc

    def assign(self, other):
        if type(self.array) is not ndarray:
            return operate(self, other)
        if not (issubclass(type(other), _OPERANDS) or issubclass(type(other), RecordedValue)):
            return primal(self, other, out=self)  # as NumPy does: a list, or a buffer of the tape's
        return self.recording.call_into(primal, (self, other), {}, self)

    return assign


def method_of(name: str) -> Function:
    """The method that is a function of NumPy's."""
    function = getattr(np, name)

    def method(self, *args, **options):
        return record_call(function, (self, *args), options)

    method.__name__, method.__doc__ = name, f"As ``numpy.ndarray.{name}``."
    return method


def guarded(question: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A method that answers a question about a value."""
    return lambda self: self.recording.guard(question, self)


def refused_method(name: str, instead: str) -> Function:
    """A method that cannot be written down, but of a constant."""

    def method(self, *args, **options):
        if not self.recording.depends(self):
            return getattr(self.array, name)(*args, **options)
        return refuse_recording(
            f"x.{name}(...)", "what follows would depend on a value, unseen", instead
        )

    method.__name__, method.__doc__ = name, "Raise: it cannot be recorded."
    return method


def fact(name: str) -> property:
    """An attribute that the signature of a program fixes."""
    return property(operator.attrgetter(f"array.{name}"), doc=f"The {name} of the array.")


def fact_of_number(name: str) -> property:
    """An attribute of a number of Python's, as its array without axes has it."""

    def read(self) -> Any:
        return getattr(np.asarray(self.array), name)

    return property(read, doc=f"The {name} of the number.")


def attribute_of_recorded(function) -> property:
    """An attribute that is a function of the value, such as `T`."""

    def read(self) -> Any:
        return self.recording.call(function, (self,), {})

    return property(read, doc=f"numpy.{function.__name__} of the value.")


def record_call(primal, args: Args, options: Options) -> Any:
    """Record a call of which some operand is recorded."""
    recording = recording_in(args) or recording_in(options)
    if recording is None:
        return primal(*args, **options)
    if len(args) > (position := position_of_out(primal)):  # ``numpy.cumsum(x, 0, None, y)``
        names = names_of(primal)
        options = {**dict(zip(names[position:], args[position:], strict=False)), **options}
        args = args[:position]
    out = options.get("out")
    rest = {name: option for name, option in options.items() if name != "out"}
    if out is None:
        return recording.call(primal, args, rest)
    into = out[0] if type(out) is tuple and len(out) == 1 else out
    return recording.call_into(primal, args, rest, into)


@cache
def names_of(primal) -> tuple[str, ...]:
    """The names of the positional arguments of a function; none where it does not say."""
    return CallForm.of(primal).names


@cache
def position_of_out(primal) -> int:
    """The position of the argument `out` of a function; beyond all where it has none."""
    names = names_of(primal)
    return names.index("out") if "out" in names else sys.maxsize


def is_known_operand(x) -> bool:
    """Whether an operand is one that a recorded value computes with: no handle of a derivative."""
    cls = type(x)
    if cls in RECORDED or cls in PLAIN or issubclass(cls, _NUMPYS):
        return True
    return not hasattr(cls, "__array_ufunc__")


class RecordedBehaviour(RecordedValue):
    """The attributes and methods that recorded arrays and recorded numbers share."""

    __slots__ = ()
    __hash__: Any = None
    __array_priority__ = 1e5
    __class__: Any = property(apparent_class)

    shape, dtype, ndim, size = fact("shape"), fact("dtype"), fact("ndim"), fact("size")
    itemsize, nbytes, strides = fact("itemsize"), fact("nbytes"), fact("strides")
    flags, device = fact("flags"), fact("device")
    T, mT = attribute_of_recorded(np.transpose), attribute_of_recorded(np.matrix_transpose)
    real, imag = attribute_of_recorded(np.real), attribute_of_recorded(np.imag)

    @property
    def base(self) -> Any:
        """The array whose memory this is a view of: a recorded one, where it was seen before."""
        base = self.array.base
        return None if base is None else self.recording.holder(base)

    # NumPy's protocols

    def __array_ufunc__(self, ufunc, method: str, *inputs, **options) -> Any:
        if method == "__call__" and not options:  # nearly always
            for x in inputs:
                if x is not self and not is_known_operand(x):
                    return NotImplemented
            return self.recording.call_ufunc(ufunc, inputs)
        for x in (*inputs, *options.get("out", ())):
            if not is_known_operand(x):
                return NotImplemented
        if method == "at":
            return self.recording.call_on_first(ufunc.at, *inputs)
        primal = ufunc if method == "__call__" else getattr(ufunc, method)
        if "out" in options:
            return record_call(primal, inputs, options)
        return self.recording.call(primal, inputs, options)

    def __array_function__(self, function, types, args: Args, options: Options) -> Any:
        if function is np.shape:
            return self.array.shape if type(self.array) is ndarray else ()
        for cls in types:
            if cls not in RECORDED and not issubclass(cls, ndarray):
                return NotImplemented
        if "out" in options or len(args) > position_of_out(function):
            return record_call(function, args, options)
        return self.recording.call(function, args, options)

    def __array__(self, *args, **options) -> Any:
        """The entries of a constant, or of a mask or of a few positions, which are guarded."""
        recording, is_array = self.recording, type(self.array) is ndarray
        is_small = self.dtype.kind in "biu" and self.nbytes <= GUARDED and is_array
        is_constant = not is_small and not recording.depends(self)
        if is_small:
            recording.guard(ndarray.tobytes, self)
        elif is_constant and is_array:
            recording.dependence.given_out.add(id(owner_of(self.array)))
        if is_small or is_constant:
            found = np.array(self.array, *args)
            found.flags.writeable = False
            return found
        if is_asked_by_another_library():  # which goes on to ask `__rmatmul__`
            found = np.empty((), object)
            found[()] = self
            return found
        return refuse_recording(
            "numpy.asarray(x) inside of a function that does not ask its arguments",
            "compiled code needs the numbers themselves",
            "take functions of SciPy's from chainrules_tape.scipy, or compile what is around;"
            " docs/users/compiled.md has a list",
        )

    # Python's protocols: questions, which are guarded, and conversions, which are refused

    __bool__, __int__, __index__ = guarded(bool), guarded(int), guarded(operator.index)
    __float__ = refused_method("__float__", "keep it as an array: functions of NumPy's take it")
    __complex__ = refused_method("__complex__", "keep it as an array: functions of NumPy's take it")
    item = refused_method("item", "keep it as an array: functions of NumPy's take it")
    tolist = refused_method("tolist", "keep it as an array: functions of NumPy's take it")
    tobytes = refused_method("tobytes", "keep it as an array")
    __str__ = refused_method("__str__", "print it outside of the function; repr(x) shows it")
    __format__ = refused_method("__format__", "print it outside of the function; repr(x) shows it")

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self.array)))

    def __contains__(self, x) -> bool:
        return bool(np.any(self == x))

    def __repr__(self) -> str:
        return repr(self.array)

    def __copy__(self) -> Any:
        return self.copy("K")

    def __deepcopy__(self, memo) -> Any:
        return self.copy("K")

    # Entries

    def __getitem__(self, index) -> Any:
        return self.recording.read(self, index)

    def __setitem__(self, index, entries) -> None:
        if type(self.array) is not ndarray:
            raise TypeError(f"{type(self.array).__name__!r} does not support item assignment")
        if not is_known_operand(entries):
            raise TypeError("a traced value cannot be written into a recorded array")
        self.recording.call_on_first(operator.setitem, self, index, entries)

    # Methods

    def conjugate(self, *args, **options) -> Any:
        """As ``numpy.ndarray.conjugate``: of real numbers the array itself."""
        if type(self.array) is ndarray and self.array.dtype.kind != "c" and not (args or options):
            return self
        return record_call(np.conjugate, (self, *args), options)

    conj = conjugate

    def reshape(self, *shape, **options) -> Any:
        """As ``numpy.ndarray.reshape``."""
        args = (self, shape[0] if len(shape) == 1 else shape)
        return self.recording.call(np.reshape, args, options)

    def transpose(self, *axes) -> Any:
        """As ``numpy.ndarray.transpose``."""
        return record_call(np.transpose, (self, *(axes if len(axes) < 2 else [axes])), {})

    def compress(self, condition, *args, **options) -> Any:
        """As ``numpy.ndarray.compress``."""
        return record_call(np.compress, (condition, self, *args), options)

    def copy(self, order: str = "C") -> Any:
        """As ``numpy.ndarray.copy``."""
        if type(self.array) is not ndarray:
            return self
        return record_call(np.copy, (self,), {"order": order})

    def flatten(self, order: str = "C") -> Any:
        """As ``numpy.ndarray.flatten``."""
        like: Any = self
        return record_call(np.ndarray.flatten, (np.asarray(self, like=like),), {"order": order})

    def astype(self, dtype, *args, **options) -> Any:
        """As ``numpy.ndarray.astype``."""
        if not args and options.keys() <= {"copy"}:
            primal = getattr(type(self.array), "astype", astype)
            return self.recording.call(primal, (self, dtype), options)
        return self.recording.call(np.ndarray.astype, (self, dtype, *args), options)

    def fill(self, value) -> None:
        """As ``numpy.ndarray.fill``."""
        self[...] = value

    def sort(self, axis: int = -1, **options) -> None:
        """As ``numpy.ndarray.sort``."""
        self[...] = np.sort(self, axis, **options)

    def view(self, *args, **options) -> Any:
        """As ``numpy.ndarray.view``, of the same numbers only."""
        if args or options:
            refuse_recording("x.view(dtype)", "other numbers in the same memory", "use x.astype")
        return self[...]


def astype(x, dtype, copy: bool = True) -> Any:
    """``numpy.astype``, of a number, too."""
    if issubclass(type(x), RecordedValue):
        return x.astype(dtype, copy=copy)
    if isinstance(x, ndarray):
        return np.astype(x, dtype, copy=copy)
    return np.asarray(x).astype(dtype)[()]


class Recorded(RecordedBehaviour):
    """An array whose operations are written down."""

    __slots__ = ()
    is_number = False


class RecordedNumber(RecordedBehaviour):
    """A number whose operations are written down."""

    __slots__ = ()
    is_number = True

    def in_pythons_form(self) -> Any:
        """The number as Python's; the conversion is written down once."""
        return self.recording.converted(self, float if self.dtype.kind == "f" else complex)

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(f"{type(self.array).__name__!r} object is not iterable")

    __floor__, __ceil__, __trunc__ = guarded(math.floor), guarded(math.ceil), guarded(math.trunc)

    def __round__(self, digits: int | None = None) -> Any:
        if digits is None:
            return self.recording.guard(round, self)
        return self.recording.call(round, (self, digits), {})


class RecordedPython(RecordedNumber):
    """A number of Python's whose operations are written down."""

    __slots__ = ()
    is_pythons = True

    def in_pythons_form(self) -> Any:
        """The number itself."""
        return self

    def in_numpys_form(self) -> Any:
        """The number as NumPy's; the conversion is written down once."""
        cls = type(self.array)
        if cls not in (float, complex):
            return self  # an integer stays one
        return self.recording.converted(self, np.float64 if cls is float else np.complex128)

    def conjugate(self) -> Any:
        """As ``complex.conjugate``: of real numbers the number itself."""
        if type(self.array) is not complex:
            return self
        return record_call(np.conjugate, (self,), {}).in_pythons_form()


for _name in ("shape", "dtype", "ndim", "size", "itemsize", "nbytes", "strides", "flags"):
    setattr(RecordedPython, _name, fact_of_number(_name))

RECORDED = frozenset({Recorded, RecordedNumber, RecordedPython})


def define_operators(cls: type) -> None:
    """Define Python's operators and the methods that are functions of NumPy's."""
    for name, (python, ufunc, _) in (BINARY | COMPARISONS).items():
        setattr(cls, f"__{name}__", binary(python, ufunc))
    for name, (python, ufunc, _) in BINARY.items():
        setattr(cls, f"__r{name}__", binary(python, ufunc, is_reflected=True))
        if name != "divmod":
            setattr(cls, f"__i{name}__", in_place(python, ufunc))
    for name, (python, ufunc, _) in UNARY.items():
        setattr(cls, f"__{name}__", unary(python, ufunc))
    for name in {*METHODS, *RARER_METHODS}.difference(vars(cls)):
        setattr(cls, name, method_of(name))


define_operators(RecordedBehaviour)
