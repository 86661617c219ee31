"""The methods of arrays that can be written to, and of those that were.

`handles` makes the classes of traced arrays of these: an array is an `UnwrittenArray` until its
first write and has a `StoredBehaviour` afterwards.
"""

import operator
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.introspection import frame_above
from chainrules_py.values.operators import PYTHONS
from chainrules_py.values.signatures import signature_of
from chainrules_tape.arrays.behaviour import (
    METHODS,
    ArrayBehaviour,
    SequenceBehaviour,
    refused_assignment,
)
from chainrules_tape.arrays.operators import define_operators
from chainrules_tape.core.dispatch import as_operand
from chainrules_tape.core.levels import call_traced, innermost, writers
from chainrules_tape.in_place import functions
from chainrules_tape.in_place.assignments import (
    AUGMENTED,
    augmented_assignment,
    set_shape,
    set_value_item,
    setitem,
    stored_or_refused,
)
from chainrules_tape.in_place.flat import flat
from chainrules_tape.in_place.functions import at, out
from chainrules_tape.in_place.held_memory import is_held
from chainrules_tape.in_place.layouts import LIKE
from chainrules_tape.in_place.reading import getitem, read_now, resolved_in
from chainrules_tape.in_place.results import (
    call_on_memory,
    call_plain,
    function_of_stored,
    has_held,
    of_stored,
    order_of_copy,
    writable,
)
from chainrules_tape.in_place.storages import STORED, StoredHandle, as_buffer
from chainrules_tape.lanes.behaviour import QUESTIONS
from chainrules_tape.refusals.advice import ITERATE
from chainrules_tape.refusals.errors import LostGradientError
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.interrupts import notice

VIEW_METHODS = ("ravel", "reshape", "squeeze", "swapaxes", "transpose", "diagonal", "astype")
# Operands that are computed with as they are, without a question.
PLAIN_OPERANDS = frozenset({np.ndarray, np.float64, float, int})
# Functions that make a new array, which is as writable as the stored one that they are given.
MAKERS = frozenset({np.copy, *LIKE})


class WritableArray(SequenceBehaviour):
    """The methods of arrays that write, before the first write and afterwards."""

    __slots__ = ()
    _set_shape = set_shape
    flat = flat
    fill, sort, partition = functions.fill, functions.sort, functions.partition
    put = writers[np.put]


for _name in AUGMENTED:
    setattr(WritableArray, _name, augmented_assignment(_name))


# Arrays that have not been written to


def component(name: str) -> property:
    """The real or imaginary part; an assignment to it is the array's first write."""
    read = vars(ArrayBehaviour)[name].fget

    def assign(self, value) -> None:
        setattr(stored_or_refused(self, "__setitem__"), name, value)

    return property(read, assign)


class UnwrittenArray(WritableArray):
    """An array before its first write, which the methods here turn into a stored one."""

    __slots__ = ()
    __setitem__ = set_value_item
    real, imag = component("real"), component("imag")


# Stored arrays


def binary(ufunc) -> Callable[[Any, Any], Any]:
    """The operator of a ufunc on what the operands hold."""
    operation = PYTHONS[ufunc]

    def compute(self, other) -> Any:
        if type(other) not in PLAIN_OPERANDS:
            other = as_operand(read_now(other))
        # a list, as the first operand of an operator that is reflected
        x = read_now(self) if type(self) in STORED else as_operand(self)
        return writable(operation(x, other))

    return compute


def unary(ufunc) -> Callable[[Any], Any]:
    """The operator of a ufunc on what the array holds."""
    operation = by_whom_it_is(ufunc)
    return lambda self: writable(operation(read_now(self)))


def by_whom_it_is(function: Function) -> Function:
    """A function of NumPy's, by the library of its arguments where they are another's arrays."""

    def compute(*args, **options) -> Any:
        if any(map(is_held, args)) and innermost((*args, *options.values())) is None:
            return call_plain(function, args, options)
        return function(*args, **options)

    return compute


def method(name: str) -> Function:
    """The method of this name of what the array holds."""
    function, is_view = calling(name), name in VIEW_METHODS
    of_numpys: Any = getattr(np.ndarray, name, None)

    def call_method(self, *args, **options):
        if options.get("out") is not None:
            return out(of_numpys, (self, *args), options)
        return of_stored(function, (self, *args), options, views_first=is_view)

    return call_method


def calling(name: str) -> Function:
    """The function that calls the method of this name."""
    return lambda x, *args, **options: getattr(x, name)(*args, **options)


def view_attribute(name: str) -> property:
    """An attribute that may be a view, and may be assigned to."""
    read = operator.attrgetter(name)

    def view(self) -> Any:
        return of_stored(read, (self,), {}, views_first=True)

    def assign(self, value) -> None:
        if name not in ("real", "imag"):
            raise AttributeError(f"attribute {name!r} of numpy.ndarray objects is not writable")
        if name == "imag" and self.dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        view(self)[...] = value

    return property(view, assign)


def fact_of_view(name: str) -> property:
    """An attribute that NumPy's view has as the array."""
    read = operator.attrgetter(f"plain_view.{name}")
    return property(read, refused_assignment(name), doc=f"The {name} of what it shows.")


class StoredBehaviour(WritableArray, StoredHandle):
    """An array that was written to: it reads as what it holds, and shows views of its memory."""

    __slots__ = ()
    __setitem__ = setitem
    T, mT = view_attribute("T"), view_attribute("mT")
    real, imag = view_attribute("real"), view_attribute("imag")
    dtype, ndim, size = fact_of_view("dtype"), fact_of_view("ndim"), fact_of_view("size")
    itemsize, nbytes = fact_of_view("itemsize"), fact_of_view("nbytes")
    strides, flags = fact_of_view("strides"), fact_of_view("flags")

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what it shows."""
        return self.plain_view.shape

    @shape.setter
    def shape(self, shape) -> None:
        set_shape(self, shape)

    def __len__(self) -> int:
        return len(self.plain_view)

    def copy(self, order: str = "C") -> Any:
        """A copy, as writable as what it is a copy of."""
        held = self.resolved()
        # arrays of other libraries are never written to
        return as_buffer(held if is_held(held) else held.copy(order_of_copy(self, order)))

    def conj(self) -> Any:
        """The complex conjugate; of real numbers, as in NumPy, the array itself."""
        if self.dtype.kind != "c":
            return self
        return of_stored(calling("conj"), (self,), {})

    conjugate = conj

    def __array_ufunc__(self, ufunc, name: str, *inputs, **options) -> Any:
        notice()
        if name == "at":
            return at(ufunc, *inputs)
        call_ufunc = ufunc if name == "__call__" else getattr(ufunc, name)
        if "out" in options:
            return out(call_ufunc, inputs, options)
        compute = by_whom_it_is(call_ufunc)
        return writable(compute(*map(read_now, inputs), **resolved_in(options)))

    def __array_function__(self, primal, types, args: Args, options: Options) -> Any:
        notice()
        if primal in writers:
            return writers[primal](*args, **options)
        if any(type(arg) in STORED for arg in args[1:]):
            args, options = with_out_by_name(primal, args, options)
        if options.get("out") is not None:
            return out(primal, args, options)
        y = function_of_stored(primal, args, options)
        return as_buffer(y) if primal in MAKERS else y

    def __chainrules_call__(self, primal, args: Args, options: Options) -> Any:
        """Call a primitive; where nothing is traced, on the memory, into which it may write."""
        if innermost((*args, *options.values())) is not None:
            return call_traced(primal, args, options)
        if has_held((*args, *options.values())):
            return call_plain(primal, args, options)
        return call_on_memory(primal, args, options)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """A copy of plain numbers, read-only unless NumPy asks for a copy."""
        x = read_now(self)
        if issubclass(type(x), TracedArray):
            return x.__array__()
        refuse_iterator(self, frame_above(1))
        if is_held(x):
            return np.asarray(x, dtype)
        made = np.array(x, dtype)
        made.flags.writeable = bool(copy)
        return made


def asked_of_lanes(name: str) -> Function:
    """The conversion of this name, which values in lanes answer by themselves."""
    own = getattr(SequenceBehaviour, name)

    def convert(self, *args, **options):
        level = self.level
        if level is not None and level.mode == "batching":
            return getattr(read_now(self), name)(*args, **options)
        return own(self, *args, **options)

    return convert


for _name in (*QUESTIONS, "__str__", "__format__"):
    if hasattr(SequenceBehaviour, _name):
        setattr(StoredBehaviour, _name, asked_of_lanes(_name))
define_operators(StoredBehaviour, unary, binary, getitem)
for _name in (*METHODS, "astype", "flatten"):
    setattr(StoredBehaviour, _name, method(_name))


def with_out_by_name(primal, args: Args, options: Options) -> tuple[Args, Options]:
    """Arguments with `out` by keyword, also where it was given by position."""
    parameters = signature_of(primal).parameters.values()
    names = [each.name for each in parameters if each.kind is not each.KEYWORD_ONLY]
    place = names.index("out") if "out" in names else len(args)
    if place >= len(args):
        return args, options
    by_name = dict(zip(names[place:], args[place:], strict=False))
    return args[:place], {**by_name, **options}


def refuse_iterator(x, frame: FrameType) -> None:
    """Raise where a frame makes NumPy's iterator over entries, which would keep a copy of them."""
    iterator = iterator_made_by(frame)
    if iterator is None:
        return
    where = f"numpy.{iterator.__name__}"
    got = (
        "an array that takes traced values: its entries would be those of now, whatever is"
        " written meanwhile"
    )
    raise LostGradientError(where, got, ITERATE, operation=iterator, value=x)


def iterator_made_by(frame: FrameType) -> type | None:
    """The class of NumPy's iterators that the code of a frame names; None without one."""
    code = frame.f_code
    if code.co_qualname == "ndenumerate.__init__":
        return np.ndenumerate
    variables = frame.f_globals
    is_named = any(n == "nditer" or variables.get(n) is np.nditer for n in code.co_names)
    return np.nditer if is_named else None
