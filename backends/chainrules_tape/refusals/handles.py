"""Handles, which the differentiated function sees in the place of arrays and numbers."""

from collections.abc import Callable
from sys import modules
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy import float64, ndarray

from chainrules_py.accumulation import NUMBERS
from chainrules_py.introspection import frame_above, module_name
from chainrules_py.values.arrays import is_number_class, libraries, library_of
from chainrules_py.values.python_numbers import is_pythons
from chainrules_tape.refusals.interrupts import notice
from chainrules_tape.refusals.other_libraries import (
    is_operation_of_another_library,
    takes_arrays_in,
)

# Classes of NumPy and Python, whose C code looks at the type itself, and is not misled.
_OWN = (np.ndarray, np.generic, int, float, complex)


def apparent_class(x: "TracedArray") -> type:
    """The class that ``isinstance(x, cls)`` sees where `cls` is no class of handles: that of the
    value.
    """
    notice()  # before an attribute is looked up, by which CPython 3.11 may forget the exception
    if x.is_stored and is_held_elsewhere(x):
        return type(x)
    cls = type(x.value)
    if x.is_number and "xarray" in modules and takes_arrays_in(frame_above(1)):
        return type(x)
    if cls is float64 or cls is float:
        return cls
    if cls is not ndarray:
        cls = class_beneath(x)
    if cls is ndarray and is_operation_of_another_library(frame_above(1)):
        # Its code would take the memory of what says to be NumPy's array. What does not is asked
        # for an array next (`__array__`), which answers.
        return type(x)
    return cls if issubclass(cls, _OWN) else type(x)


def is_held_elsewhere(x) -> bool:
    """Whether another library has the numbers of a stored array: it is not asked for them to tell
    what class they are of, because cubed looks at the class of all that is around when it computes.
    """
    while issubclass(type(x), TracedArray):
        if x.is_stored and x.storage.current().state.held is not None:
            return True
        x = x.value
    return False


# Every class of handles has it in its own dictionary, where Python looks first and finds it even
# while an exception waits (`interrupts`).
APPARENT_CLASS: Any = property(apparent_class)


def class_beneath(x: "TracedArray") -> type:
    """The class of the value beneath all levels; of a number in lanes, that of one of them."""
    value = plain(x)
    if x.is_number and type(value) is ndarray:
        found: type = value.dtype.type
        return found
    found = type(value)
    # what stands for a NumPy array says so itself
    return value.__class__ if is_known_to_stand(found) else found


def is_in_lanes(level) -> bool:
    """Whether values of a level differ from lane to lane."""
    return getattr(level, "mode", None) == "batching"


def is_over_lanes(value) -> bool:
    """Whether a value differs from lane to lane: by its own level, or by one outside of it."""
    while isinstance(value, TracedArray):
        if is_in_lanes(value.level):
            return True
        value = value.value
    return False


def is_known_to_stand(cls: type) -> bool:
    """Whether values of a class stand for NumPy's arrays."""
    library = library_of(cls)
    return library is not None and library.stands_for is not None


def raise_without_unit(x: "TracedArray") -> NoReturn:
    """Raise for ``x.unit``, which a traced value has not.

    Astropy's quantities take what has a `value` and no `unit` for a plain number. By a TypeError
    they learn that the traced value computes their products (`chainrules_labels.astropy_quantities`).
    """
    is_quantity = module_name(frame_above(1)).startswith("astropy.units.quantity")
    error = TypeError if is_quantity else AttributeError
    raise error("x.unit: a traced value, which has no unit; put one on it: x * unit")


class TracedArray:
    """A handle on a current value, at the level that traces it; the base of every traced value.

    It says that its class is its value's: by ``isinstance(t, np.ndarray)`` much Python, some of
    NumPy's too, tells arrays from numbers, and another answer is another branch, silently.
    ``type(t)`` tells the truth; what has to know whether a value is traced asks that. Arrays of
    other libraries are not spoken for: these decide by class whose operator is called.
    """

    __slots__ = ("__weakref__", "level", "value")
    is_number: ClassVar[bool] = False
    is_pythons: ClassVar[bool] = False  # whether it stands for a number of Python's
    is_stored: ClassVar[bool] = False  # whether it may change: see `in_place`
    in_lanes: ClassVar[bool] = False  # whether the value has a first axis of lanes more
    has_attributes: ClassVar[bool] = False  # whether it has those of a subclass of NumPy's arrays
    forms: ClassVar["HandleClasses"]  # the classes of handles at the same places
    carries: ClassVar[str]  # the field beside value and level: "slot" or "tangent"
    beneath: ClassVar[str] = "numpy"  # the name of the library of the arrays beneath all levels
    value: Any
    level: Any  # a Level, or of a subclass a level of its own kind
    __array_function__: Any
    __getitem__: Any

    @property
    def __chainrules_level__(self) -> float:
        """The number of its level, by `next_level`; less than any for buffers of plain numbers."""
        return getattr(self.level, "serial", -1)

    def resolved(self, level: Any = None) -> Any:
        """The value that it is now, for operations of a level to keep: no write changes it."""
        raise NotImplementedError

    unit = property(raise_without_unit)

    # In the class body, because assigning to it later would change what the class itself is an
    # instance of.
    __class__: Any = APPARENT_CLASS


class HandleClasses(dict[type, Any]):
    """The class of the handle on a value, by the class of the value.

    Numbers, of Python or NumPy, have a class of handles of their own, because Python decides by the
    class whether an object is a sequence. Arrays of each library have one, which differ in nothing
    but `beneath`. The value may be a handle of another level: then `beneath` says which library
    computes beneath all levels, and rules are bound to that. The classes are defined above the
    engine, with all their methods, and given to it (`arrays.handles`).
    """

    array: Any
    number: Any
    python: Any  # of numbers of Python's
    subclassed: Any = None  # of arrays of subclasses of NumPy's, with their attributes
    over_library: dict[tuple[type, str], Any]  # subclasses of these by the library beneath

    def __init__(self) -> None:
        super().__init__()
        self.classes: set[type] = set()

    def give(self, array: type, number: type, python: type | None = None) -> None:
        """Say which the classes are; without one for Python's numbers, NumPy's are all there are."""
        self.array, self.number, self.python = array, number, python or number
        self.over_library = {}
        for cls in (array, number, self.python):
            self.over_library[cls, "numpy"] = cls
            self.add(cls)

    def give_attributes(self, methods: dict[str, Any]) -> None:
        """Say how arrays of subclasses of NumPy's have their attributes."""
        self.subclassed = subclass_over(self.array, "numpy", {**methods, "has_attributes": True})
        self.over_library[self.subclassed, "numpy"] = self.subclassed
        self.add(self.subclassed)

    def __missing__(self, cls: type) -> Any:
        library = library_beneath(cls)
        joined = libraries()
        base = self.array
        if is_pythons(cls):
            base = self.python
        elif is_number_over(cls, library):
            base = self.number
        elif library == "numpy" and is_of_subclass(cls) and self.subclassed is not None:
            base = self.subclassed
        found = self.made_over(library, base)
        self[cls] = found
        if libraries() != joined:
            self.pop(cls, None)  # it may belong to the library that has joined meanwhile
        return found

    def over(self, library: str) -> Any:
        """The class of handles on arrays of the library of this name."""
        return self.made_over(library, self.array)

    def made_over(self, library: str, base: type) -> Any:
        """The subclass of handles over a library, made once."""
        known = self.over_library
        if (base, library) not in known:
            self.add(known.setdefault((base, library), subclass_over(base, library)))
        return known[base, library]

    def add(self, cls: type[TracedArray]) -> None:
        """Note a class of handles in the sets by which others tell them."""
        self.classes.add(cls)
        HANDLES.add(cls)
        if cls.is_number:
            NUMBERS.add(cls)


def is_number_over(cls: type, library: str) -> bool:
    """Whether a handle on a value of a class is a number: other libraries than NumPy have arrays
    only, if they do not say otherwise.
    """
    if issubclass(cls, TracedArray):
        return cls.is_number and (library == "numpy" or tells_numbers_apart(library))
    return issubclass(cls, np.generic | float | complex) or is_number_class(cls)


def tells_numbers_apart(name: str) -> bool:
    """Whether the library of this name has numbers besides its arrays."""
    return any(library.name == name and library.number_types for library in libraries())


def is_of_subclass(cls: type) -> bool:
    """Whether arrays of a class, or those beneath handles, are of a subclass of NumPy's arrays."""
    if issubclass(cls, TracedArray):
        return cls.has_attributes
    return cls is not ndarray and issubclass(cls, ndarray)


def subclass_over(array: type, library: str, methods: dict[str, Any] | None = None) -> type:
    """A class of handles that differs from another one in the library beneath, and in methods that
    it has besides.
    """
    same = {
        "__module__": array.__module__,
        "__qualname__": array.__qualname__,
        "__doc__": array.__doc__,
        "__class__": vars(array)["__class__"],
    }
    own = {"__slots__": (), "beneath": library}
    return type(array.__name__, (array,), {**same, **(methods or {}), **own})


def library_beneath(cls: type) -> str:
    """The name of the library of a class of arrays or, beneath all levels, of handles."""
    if issubclass(cls, TracedArray):
        return cls.beneath
    library = library_of(cls)
    return "numpy" if library is None else library.name


HANDLES: set[type] = set()  # the classes of all handles but those that may be written to


def moved(x, value, cls: type | None = None) -> Any:
    """A handle on another value of the same kind, with the slot or the tangent of a handle; of
    another class, where one is given.
    """
    made: Any = object.__new__(cls or type(x))
    made.value, made.level = value, x.level
    setattr(made, x.carries, getattr(x, x.carries))
    return made


# Make a handle one of another class with the same fields, for all who hold it: change_class(x, cls).
# ``x.__class__ = cls`` is not that, because `__class__` is the class of the value.
change_class: Callable[[Any, type], None] = object.__dict__["__class__"].__set__


def names_a_handle(text: str, base: type[TracedArray] = TracedArray) -> bool:
    """Whether a text has the name of a class of handles in it."""
    return any(cls.__name__ in text or names_a_handle(text, cls) for cls in base.__subclasses__())


def plain(x) -> Any:
    """The value of a handle with the handles of all levels taken off; other values as they are."""
    while issubclass(type(x), TracedArray):
        x = x.value
    return x
