"""The attributes, methods and conversions of traced values, and what they refuse.

Four paths lead from plain code to a rule: operators (`operators`), the methods here, and NumPy's
two protocols (`protocols`). `handles` makes the classes of traced values of these. Everything that
an ndarray has is in one of them or in the tables of `refusals.advice` (a test holds them against
``dir(numpy.ndarray)``); what a newer NumPy adds is refused by name.
"""

import copy
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.introspection import (
    frame_above,
    is_formatting,
    is_showing,
    is_storing_entries,
)
from chainrules_py.values.arrays import Array
from chainrules_py.values.python_numbers import in_numpys_form, in_pythons_form
from chainrules_tape.arrays.layout_methods import LayoutMethods
from chainrules_tape.arrays.protocols import chainrules_call
from chainrules_tape.arrays.subclasses import view_as
from chainrules_tape.arrays.zero_dimensional import number_of_array
from chainrules_tape.core.guests import method_of_guest, namespace_of
from chainrules_tape.core.levels import call_traced
from chainrules_tape.in_place.known_layouts import memory_of
from chainrules_tape.refusals import advice, errors
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.handles import TracedArray, is_over_lanes, moved, plain
from chainrules_tape.refusals.subclasses import refuse_view, shown_as

# Methods whose calls are operations, by their rules; `layout_methods` has the others.
METHODS = (
    *("sum", "prod", "mean", "std", "var", "max", "min", "any", "all", "cumsum", "cumprod"),
    *("argmax", "argmin", "argsort", "argpartition", "nonzero", "searchsorted"),
    *("ravel", "reshape", "squeeze", "swapaxes", "transpose", "diagonal", "trace"),
    *("take", "repeat", "compress", "choose", "dot", "clip", "round"),
)
# Only arrays have these: a number's own value is what gives another one.
ARITHMETIC_ASSIGNMENTS = frozenset(
    f"__i{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
)
REFUSED_WRITES = advice.WRITES.keys() - ARITHMETIC_ASSIGNMENTS - {"setflags"}


def method_of(name: str) -> Function:
    """The method of arrays of this name, by the rule of ``numpy.ndarray.name``; some mean something
    else for some guests.
    """
    primal = getattr(np.ndarray, name)
    may_be_guests = name in ("std", "var", "dot")

    def method(self: TracedArray, *args, **options):
        of_guest = method_of_guest(self, name) if may_be_guests else None
        if of_guest is not None:
            return of_guest(self, *args, **options)
        return self.__array_function__(primal, (), (self, *args), options)

    method.__name__, method.__doc__ = name, f"As ``numpy.ndarray.{name}``."
    return method


def method_of_guests_alone(name: str) -> property:
    """A method or property that NumPy's arrays have not, but those of guests; no attribute without
    these.
    """

    def read(self: TracedArray):
        of_guest = method_of_guest(self, name)
        if of_guest is None:
            text = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(text, name=name, obj=self)
        return of_guest.__get__(self)

    return property(read, doc=f"What a guest calls {name}.")


def refused_assignment(name: str) -> Callable[[Any, Any], Any] | None:
    """The setter of an attribute, which raises; None where NumPy has none either."""
    if name not in advice.ASSIGNMENTS:
        return None
    instead = advice.ASSIGNMENTS[name]
    return lambda self, value: errors.raise_write_refused(f"x.{name} = v", self, instead)


def fact(name: str) -> property:
    """An attribute that has no derivative; a Python number has that of its NumPy scalar."""

    found = attrgetter(name)

    def read(self: TracedArray):
        try:
            return found(self.value)
        except AttributeError:
            return missing_fact(name, self.value)

    return property(read, refused_assignment(name), doc=f"The {name} of the value.")


def missing_fact(name: str, value) -> Any:
    """A fact that is no attribute of a value: a Python number, or an array of another library."""
    if not hasattr(value, "dtype"):
        return getattr(np.asarray(value)[()], name)
    if name == "device":  # which arrays of some libraries lack
        return "cpu"
    return getattr(memory_of(value) if name in ("flags", "strides") else value, name)


def attribute_of_traced(primal) -> property:
    """An attribute that is a function of the value, such as `T`."""
    name = primal.__name__

    def read(self: TracedArray):
        return self.__array_function__(primal, (), (self,), {})

    return property(read, refused_assignment(name), doc=f"numpy.{name} of the value.")


def view_of_memory(name: str) -> property:
    """An attribute that would show the memory, and raises.

    It is an AttributeError where Python asks whether there is such a thing.
    """

    def read(self: TracedArray):
        if name.startswith("__") or self.level is None:
            raise AttributeError(
                f"x.{name}: a buffer, whose memory nobody else may have; use numpy.array(x).{name}"
            )
        errors.raise_lost_gradient(
            f"x.{name}", self, "use stop_gradient(x), if a constant is meant"
        )

    return property(read, refused_assignment(name))


class ArrayBehaviour(LayoutMethods):
    """The methods and attributes that traced arrays and numbers have in common."""

    __slots__ = ()
    __array_priority__ = 1e6
    __pandas_priority__ = 5000  # more than a DataFrame's: the traced value answers
    __chainrules_call__ = chainrules_call
    __hash__: Any = None

    # Attributes

    # for programs that were written for autograd: `chainrules_tape.autograd`
    _value = property(lambda self: self.resolved().value)
    dtype, ndim, size = fact("dtype"), fact("ndim"), fact("size")
    itemsize, nbytes, strides = fact("itemsize"), fact("nbytes"), fact("strides")
    flags, device = fact("flags"), fact("device")
    abs, median, quantile = map(method_of_guests_alone, ("abs", "median", "quantile"))
    _typ = method_of_guests_alone("_typ")  # pandas asks any value for it
    T, mT = attribute_of_traced(np.transpose), attribute_of_traced(np.matrix_transpose)
    real, imag = attribute_of_traced(np.real), attribute_of_traced(np.imag)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value; a Python number has ()."""
        try:
            found: tuple[int, ...] = self.value.shape
        except AttributeError:
            return ()
        return found

    @shape.setter
    def shape(self, shape) -> None:
        self._set_shape(shape)

    def _set_shape(self, shape) -> None:
        errors.raise_write_refused("x.shape = v", self, advice.ASSIGNMENTS["shape"])

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return namespace_of(self, api_version)

    # Python's protocols

    # Texts say that a value is traced, but where they are printed or logged, which nobody reads back.

    def __repr__(self) -> str:
        if is_only_shown(self):
            return repr(plain(value_now(self)))
        with np.printoptions(threshold=20, edgeitems=2):
            return str(self)

    def __str__(self) -> str:
        value = value_now(self)
        if is_only_shown(self):
            return str(plain(value))
        return f"{type(self).__name__}({value!r})"

    def __format__(self, spec: str) -> str:
        value = value_now(self)
        if is_only_shown(self):
            return format(plain(value), spec)
        return f"{type(self).__name__}({format(value, spec)})"

    def __bool__(self) -> bool:
        zero: Any = 0.0
        return bool(self.value) or bool(self != zero)  # which is noted

    def __round__(self, digits: int | None = None) -> Any:
        """Round as ``round(x, digits)`` does; a number without `digits` gives an integer."""
        value = plain(self)
        if digits is None and not issubclass(type(value), np.ndarray | Array):
            return round(value)
        if digits is not None:
            errors.warn_of_rounding(digits)
        return call_traced(np.round, (self, digits or 0), {})

    def __copy__(self) -> Any:
        return self if self.is_number else np.copy(self)

    def __deepcopy__(self, memo) -> Any:
        return copy.copy(self)

    # What would drop a derivative

    def __array__(self, *args, **options) -> Any:
        """Raise where ``numpy.asarray(x)`` asks for a plain array, which would drop the derivative.

        A product of scipy.sparse is told that this is no array: it then leaves the product to
        ``x.__rmatmul__``. What ``y[index] = [x, 1.0]`` asks for is written into an array of objects
        as it is; an array of numbers asks each of them for its number next.
        """
        if errors.is_asked_by_another_library():
            return of_objects(self, ())
        if is_storing_entries(frame_above(1)):
            return of_objects(self, self.shape)
        what, instead = advice.CONVERSIONS["__array__"]
        return errors.raise_lost_gradient(what, self, instead)

    def view(self, *args, **options) -> Any:
        """The array, of which a subclass that means what NumPy's arrays mean is one, too; of others
        what they say stands for it.
        """
        shown = view_as(self, *args, **options)
        if shown is None and self.shape:
            shown = shown_as(self, *args, **options)
        return refuse_view(self, *args, **options) if shown is None else shown

    def setflags(self, write: Any = None, align: Any = None, uic: Any = None) -> None:
        """Take ``write=False``, which changes nothing of what is computed, and refuse the rest."""
        if write is None or write or align is not None or uic is not None:
            refused_write("setflags")(self)


def is_only_shown(x) -> bool:
    """Whether a text of a value is printed or logged, and the value is that of one example."""
    return not is_over_lanes(x) and is_showing(calling_frame())


def value_now(x) -> Any:
    """The value of a handle; where a view of it has been written to, it is a stored array first."""
    if not x.is_stored and x.level.written is not None:
        x.level.written.follow(x)
    return x.value


def of_objects(x, shape: tuple[int, ...]) -> Any:
    """The plain array of a shape whose entries are those of a traced value, traced as they are."""
    made = np.empty(shape, object)
    if not shape:
        made[()] = x if x.shape else number_of_array(x)
    for index in np.ndindex(shape) if shape else ():
        made[index] = x[index]
    return made


def refused_conversion(name: str) -> Function:
    """The method of this name that raises, as a derivative would be dropped.

    A buffer of plain numbers gives a copy instead, and ``"%.3f" % x`` has the number.
    """
    what, instead = advice.CONVERSIONS[name]

    def convert(self: TracedArray, *args, **options):
        is_text = name in ("__float__", "__int__") and is_formatting(frame_above(1))
        if is_text and not is_over_lanes(self):
            return getattr(plain(self), name)()
        if self.level is None and name in advice.COPYING:
            return getattr(plain(self), name)(*args, **options)
        return errors.raise_lost_gradient(what, self, instead)

    return convert


def refused_write(name: str) -> Function:
    """The method of this name that raises, because it would write into a traced value."""
    what, instead = advice.WRITES[name]
    return lambda self, *args, **options: errors.raise_write_refused(what, self, instead)


for _name in METHODS:
    setattr(ArrayBehaviour, _name, method_of(_name))
for _name in advice.CONVERSIONS.keys() - {"__array__", "view"}:
    setattr(ArrayBehaviour, _name, refused_conversion(_name))
for _name in REFUSED_WRITES:
    setattr(ArrayBehaviour, _name, refused_write(_name))
for _name in advice.VIEWS_OF_MEMORY:
    setattr(ArrayBehaviour, _name, view_of_memory(_name))
# What a NumPy that is newer than these tables brings: methods are refused unless they have a rule.
NEWER = sorted(
    name for name in dir(np.ndarray) if not (name.startswith("__") or hasattr(ArrayBehaviour, name))
)
for _name in NEWER:
    _make: Any = method_of if callable(getattr(np.ndarray, _name)) else view_of_memory
    setattr(ArrayBehaviour, _name, _make(_name))


class SequenceBehaviour(ArrayBehaviour):
    """The marks of a sequence, as Python knows them: arrays have these, those without axes, too."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("iteration over a 0-d array")  # as NumPy says it
        return (self[index] for index in range(self.shape[0]))

    def __contains__(self, item) -> bool:
        return bool(np.any(self == item))


def in_form(x, form: Callable[[Any], Any]) -> Any:
    """The handle at the same place whose value, and tangent, are numbers of Python's or NumPy's."""
    value = form(x.value)
    cls = x.forms[type(value)]
    if cls is type(x):
        return x
    made = moved(x, value, cls)
    if x.carries == "tangent":
        made.tangent = form(made.tangent)
    return made


class NumberBehaviour(ArrayBehaviour):
    """The methods of Python's numbers, which arrays have not; a number has no length."""

    __slots__ = ()
    is_number = True

    def __getitem__(self, index) -> Any:
        """Read ``x[()]`` and ``x[None]``; an integer is refused.

        Python iterates over whatever has indices, up to an IndexError: a loop over a number would
        end before it began.
        """
        if type(index) is int:
            raise TypeError(
                "invalid index to scalar variable: a number is neither indexed nor iterated over"
            )
        return super().__getitem__(index)

    def __hash__(self) -> int:
        """Raise, as a number that is looked up is a constant; arrays have none, as in NumPy."""
        what, instead = advice.OF_NUMBERS["__hash__"]
        return hash(errors.raise_lost_gradient(what, self, instead))

    def is_integer(self) -> bool:
        """Whether the number is a whole one."""
        return float(plain(self)).is_integer()

    def hex(self) -> str:
        """The value as ``float.hex`` shows it, and that it is traced."""
        return f"{type(self).__name__}({float(plain(self)).hex()})"

    def in_pythons_form(self) -> Any:
        """The handle at the same place that stands for a number of Python's."""
        return in_form(self, in_pythons_form)

    def in_numpys_form(self) -> Any:
        """The handle at the same place that stands for a number of NumPy's."""
        return in_form(self, in_numpys_form)

    def __divmod__(self, other) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other) -> Any:
        return other // self, other % self


def refused_of_number(name: str) -> Function:
    """The method of this name of Python's numbers, which raises as it gives a plain integer."""
    what, instead = advice.OF_NUMBERS[name]
    return lambda self: errors.raise_lost_gradient(what, self, instead)


for _name in advice.OF_NUMBERS.keys() - {"__hash__"}:
    setattr(NumberBehaviour, _name, refused_of_number(_name))


def part_of_number(name: str) -> property:
    """The real or the imaginary part of a number of Python's, which is one of Python's, too."""
    ufunc = getattr(np, name)

    def read(self):
        return in_pythons_form(call_traced(ufunc, (self,), {}))

    return property(read, doc=f"The part of the number that is {name}.")


def raise_without_namespace(self):
    """An attribute that numbers of Python's have not."""
    raise AttributeError("a number of Python's has no namespace of the array API standard")


class PythonBehaviour:
    """Answers that numbers of Python's have, and NumPy's do not."""

    __slots__ = ()
    is_pythons = True
    real, imag = part_of_number("real"), part_of_number("imag")
    __array_namespace__ = property(raise_without_namespace)

    def conjugate(self: Any) -> Any:
        """The conjugate, which is the number itself where that is real."""
        if self.__class__ is float:
            return self
        return in_pythons_form(np.conjugate(self))

    def __round__(self: Any, digits: int | None = None) -> Any:
        """Round as Python rounds floats: by their decimal digits, to a plain number."""
        value = self.value
        if digits is None:
            return round(value)
        if type(value) is float:  # else the level beneath says so
            errors.warn_of_rounding(digits)
        return round(value, digits)

    def __matmul__(self, other) -> Any:
        return NotImplemented

    __rmatmul__ = __matmul__
