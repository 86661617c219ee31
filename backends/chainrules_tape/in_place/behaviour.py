"""What stored arrays answer: they read as the values that they hold, show views of themselves, and
are written to.
"""

import operator
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from chainrules_py.introspection import frame_above, source_of_expression
from chainrules_py.values.signatures import signature_of
from chainrules_tape.arrays import behaviour
from chainrules_tape.core.duals import DualArray, DualNumber
from chainrules_tape.core.interrupts import notice
from chainrules_tape.core.levels import call, innermost, writers
from chainrules_tape.core.tape import TapeArray, TapeNumber
from chainrules_tape.in_place.assignments import (
    AUGMENTED,
    augmented_assignment,
    set_shape,
    set_value_item,
    setitem,
    stored_or_refused,
)
from chainrules_tape.in_place.flat import flat, flat_of_number
from chainrules_tape.in_place.functions import METHODS, at, out
from chainrules_tape.in_place.reading import getitem, now, settled_in
from chainrules_tape.in_place.resizing import resize
from chainrules_tape.in_place.results import function_of_stored, of_stored, order_of_copy, writable
from chainrules_tape.in_place.storages import STORED, StoredArray, StoredDual, as_buffer
from chainrules_tape.refusals.advice import ITERATE
from chainrules_tape.refusals.errors import LostGradientError
from chainrules_tape.refusals.handles import TracedArray

VIEW_METHODS = ("ravel", "reshape", "squeeze", "swapaxes", "transpose", "diagonal")
# NumPy's functions that make a new array, which is as writable as the stored one that they are
# given.
MAKERS = frozenset({np.copy, np.zeros_like, np.ones_like, np.empty_like, np.full_like})
COMPONENTS = ("real", "imag")
VIEW_ATTRIBUTES = ("T", "mT", *COMPONENTS)


def binary(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operator of what the operands hold."""
    return lambda self, other: writable(operation(now(self), now(other)))


def reflected(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The operator with its operands exchanged."""
    return lambda self, other: writable(operation(now(other), now(self)))


def unary(operation: Callable[[Any], Any]) -> Callable[..., Any]:
    """An operator of what the array holds."""
    return lambda self, *args: writable(operation(now(self), *args))


def method(name: str) -> Callable[..., Any]:
    """A method of what the array holds."""
    function = calling(name)
    return lambda self, *args, **options: of_stored(function, (self, *args), options)


def view_method(name: str) -> Callable[..., Any]:
    """A method that mostly gives a view."""
    function = calling(name)
    return lambda self, *args, **options: of_stored(
        function, (self, *args), options, asked_first=True
    )


def copied(self: Any, order: str = "C") -> Any:
    """A copy, as writable as what it is a copy of."""
    return as_buffer(self.settled().copy(order_of_copy(self, order)))


def conjugate(self: Any) -> Any:
    """The complex conjugate; of real numbers, as in NumPy, the array itself."""
    return of_stored(operator.methodcaller("conj"), (self,), {}) if self.dtype.kind == "c" else self


def calling(name: str) -> Callable[..., Any]:
    """The function that calls the method of this name."""
    return lambda x, *args, **options: getattr(x, name)(*args, **options)


def view_attribute(name: str) -> property:
    """An attribute that may be a view, and may be assigned to."""
    read = operator.attrgetter(name)

    def assign(self: Any, value: Any) -> None:
        if name not in COMPONENTS:
            raise AttributeError(f"attribute {name!r} of numpy.ndarray objects is not writable")
        if name == "imag" and self.dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        setitem(of_stored(read, (self,), {}, asked_first=True), ..., value)

    return property(lambda self: of_stored(read, (self,), {}, asked_first=True), assign)


def component(cls: type, name: str) -> property:
    """The real or imaginary part of what has not been written to before, which may be assigned to."""
    read = getattr(cls, name).fget
    return property(
        read, lambda self, value: setattr(stored_or_refused(self, "__setitem__"), name, value)
    )


def array_ufunc(self: Any, ufunc: Any, name: str, *inputs: Any, **options: Any) -> Any:
    """Call a ufunc on what stored arrays hold."""
    notice()
    if name == "at":
        return at(ufunc, *inputs)
    if "out" in options:
        return out(ufunc if name == "__call__" else getattr(ufunc, name), inputs, options)
    return writable(getattr(ufunc, name)(*map(now, inputs), **settled_in(options)))


def array_function(
    self: Any, primal: Any, types: Any, args: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """Call a function on what stored arrays hold, or for views of them."""
    notice()
    if primal in writers:
        return writers[primal](*args, **options)
    if any(type(arg) in STORED for arg in args[1:]):
        args, options = with_out_by_name(primal, args, options)
    if options.get("out") is not None:
        return out(primal, args, options)
    y = function_of_stored(primal, args, options)
    return as_buffer(y) if primal in MAKERS else y


def with_out_by_name(
    primal: Any, args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments with the one that is written to as an option, where it stands among the others."""
    parameters = signature_of(primal).parameters.values()
    names = [
        parameter.name for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY
    ]
    place = names.index("out") if "out" in names else len(args)
    if place >= len(args):
        return args, options
    return args[:place], {**dict(zip(names[place:], args[place:], strict=False)), **options}


def chainrules_call(self: Any, primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call a primitive; where nothing is traced, on the plain memory, into which it may write."""
    if innermost((*args, *options.values())) is not None:
        return call(primal, args, options)
    return primal(
        *[arg.part if type(arg) in STORED else arg for arg in args], **settled_in(options)
    )


def as_array(self: Any, dtype: Any = None, copy: Any = None) -> Any:
    """What plain NumPy gets of a stored array that holds plain numbers: a copy, to be written to
    only if it asks for one.
    """
    x = now(self)
    if issubclass(type(x), TracedArray):
        return behaviour.as_array(x)
    iterator = iterator_made_by(frame_above(1))
    if iterator is not None:
        got = (
            "an array that takes traced values: its entries would be those of now, whatever is"
            " written meanwhile"
        )
        raise LostGradientError(
            f"numpy.{iterator.__name__}", got, ITERATE, operation=iterator, value=self
        )
    made = np.array(x, dtype)
    made.flags.writeable = bool(copy)
    return made


def iterator_made_by(frame: FrameType) -> type | None:
    """NumPy's iterator over entries that a frame is making, which would keep a copy; None where it
    does something else.
    """
    code = frame.f_code
    if code.co_qualname == "ndenumerate.__init__":
        return np.ndenumerate
    names = {
        name for name in code.co_names if name == "nditer" or frame.f_globals.get(name) is np.nditer
    }
    if not names:
        return None
    source = source_of_expression(frame)
    called = source.partition("(")[0].rpartition(".")[2].strip()
    # without its source, a function that makes one somewhere
    return np.nditer if called in names or not source else None


def install(cls: type) -> None:
    """Install on a class of stored arrays what they answer."""
    of_value: dict[str, Any] = {
        **{f"__{name}__": unary(primal) for name, primal in behaviour.UNARY.items()},
        **{name: method(name) for name in behaviour.METHODS if name not in VIEW_METHODS},
        **{name: view_method(name) for name in VIEW_METHODS},
        **{name: view_attribute(name) for name in VIEW_ATTRIBUTES},
        **{name: augmented_assignment(name) for name in AUGMENTED},
        "copy": copied,
        "conj": conjugate,
        "conjugate": conjugate,
        "astype": view_method("astype"),
        "__getitem__": getitem,
        "__setitem__": setitem,
        "__array_ufunc__": array_ufunc,
        "__array_function__": array_function,
        "__chainrules_call__": chainrules_call,
        "__array__": as_array,
        "shape": property(lambda self: self.part.shape),
        "dtype": property(lambda self: self.part.dtype, behaviour.assignment("dtype")),
    }
    for name in behaviour.BINARY | behaviour.COMPARISONS:
        own = getattr(operator, f"__{name}__", divmod)
        of_value[f"__{name}__"] = binary(own)
        if name in behaviour.BINARY:
            of_value[f"__r{name}__"] = reflected(own)
    for name, found in of_value.items():
        setattr(cls, name, found)


_cls: Any
for _cls in (StoredArray, StoredDual):
    install(_cls)
    behaviour.install_sequence(_cls)
for _cls in (TapeArray, DualArray, StoredArray, StoredDual):
    _cls.shape, _cls._set_shape = _cls.shape.setter(set_shape), set_shape
    for _name, _method in {**METHODS, "flat": flat, "resize": resize}.items():
        setattr(_cls, _name, _method)
for _cls in (TapeArray, DualArray):
    _cls.__setitem__ = set_value_item
    for _name in COMPONENTS:
        setattr(_cls, _name, component(_cls, _name))
    for _name in AUGMENTED:
        setattr(_cls, _name, augmented_assignment(_name))
for _cls in (TapeNumber, DualNumber):
    _cls.flat = flat_of_number
    # a number is not written to: it gives another one
    for _name in behaviour.BINARY.keys() - {"divmod"}:
        setattr(_cls, f"__i{_name}__", getattr(_cls, f"__{_name}__"))
