"""Levels: which of several nested derivatives an operation belongs to.

Each vjp and jvp opens a level, and each traced value is a handle on a value of the level that made it. An operation
belongs to the innermost level among its operands; that level takes its own handles off, and everything that is left,
values of outer levels included, is plain to it: the rule then runs on values of outer levels, which call their own
level in turn. So towers of any kind are exact, and no perturbation is confused with another.

The innermost level is the one opened last, and a serial number says which that is. It orders levels and does nothing else: no
current level exists anywhere, a tape lives in its call, and threads do not meet.
"""

import itertools
import sys
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from numpy import float64, ndarray

from chainrules_py.structure import fields, is_container, rebuild
from chainrules_tape.core.asked_of_arrays import WRITING_FUNCTIONS
from chainrules_tape.core.errors import is_sparse_product, raise_captured_value, raise_write_refused

_serials = itertools.count()
_OWN = (np.ndarray, np.generic, int, float, complex)  # NumPy's and Python's: their C code asks for the type


def apparent_class(x: "TracedArray") -> type:
    """What a traced value says that its class is; every isinstance that is not true by the type asks."""
    cls = type(x.value)
    if cls is float64:
        return cls
    if cls is not ndarray:
        cls = type(plain(x))
    if cls is ndarray and is_sparse_product(sys._getframe(1)):
        return type(x)  # it takes what says to be NumPy's array for one; else it asks for an array next, and is answered there
    return cls if issubclass(cls, _OWN) else type(x)


class TracedArray:
    """A handle on a current value, at the level that traces it; the base of every traced value.

    It says that its class is its value's: by ``isinstance(t, np.ndarray)`` much Python, some of NumPy's too, tells arrays
    from numbers, and another answer is another branch, silently. ``type(t)`` tells the truth; what has to know whether a value
    is traced asks that. Arrays of other libraries are not spoken for: these decide by class whose operator is called.
    """

    __slots__ = ("level", "value")
    is_buffer: ClassVar[bool] = False
    is_number: ClassVar[bool] = False
    value: Any
    level: Any  # a Level, or of a subclass a level of its own kind

    # In the class body, because assigning to it later would change what the class itself is an instance of.
    __class__: Any = property(apparent_class)


class HandleClasses(dict[type, Any]):
    """Which class of handles stands for the values of a class: Python asks classes whether their objects are sequences.

    Numbers are those of Python and NumPy; the handle of a number, at another level, stands for one, too.
    """

    def __init__(self, array: type, number: type) -> None:
        super().__init__()
        self.array, self.number = array, number

    def __missing__(self, cls: type) -> Any:
        number = cls.is_number if issubclass(cls, TracedArray) else issubclass(cls, np.generic | float | complex)
        self[cls] = found = self.number if number else self.array
        return found


def plain(x: Any) -> Any:
    """The value under all levels."""
    while issubclass(type(x), TracedArray):
        x = x.value
    return x


class Level:
    """A place in the order of nested derivatives: an operation is handed to the level of the highest serial number."""

    __slots__ = ("closed", "serial")
    serial: float

    def __init__(self) -> None:
        self.serial = next(_serials)
        self.closed = False

    def call(self, primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """The result of an operation of which some operand is this level's."""
        raise NotImplementedError

    def strip(self, value: Any) -> Any:
        """A value with this level's handles taken off, in containers too; the value itself where there are none."""
        if isinstance(value, TracedArray):
            return value.value if value.level is self else value
        if not is_container(value):
            return value
        parts = fields(value)
        plain = {key: self.strip(part) for key, part in parts.items()}
        changed = {key: part for key, part in plain.items() if part is not parts[key]}
        return rebuild(value, changed) if changed else value

    def refuse_own(self, primal: Any, value: Any) -> None:
        """Raise where a rule that ran on stripped arguments returns this level's values: they came through a closure."""
        if isinstance(value, TracedArray) and value.level.serial >= self.serial:
            raise_captured_value(primal, value)


class GeneralWayOnly(dict[Any, Any]):
    """What the fast ways find in place of stages: nothing, so that operations take the general way."""

    def __missing__(self, key: Any) -> None:
        return None


def innermost(values: Iterable[Any]) -> Level | None:
    """The level opened last among traced values and containers of them; None where nothing is traced."""
    found: Level | None = None
    for value in values:
        if isinstance(value, TracedArray):
            level: Level | None = value.level
        elif is_container(value):
            level = innermost(fields(value).values())
        else:
            continue
        if level is not None and (found is None or level.serial > found.serial):
            found = level
    return found


def as_operand(x: Any) -> Any:
    """An operand of a ufunc: lists are arrays, and those that hold traced values are stacked."""
    if not isinstance(x, list | tuple):
        return x
    return np.asarray(x) if innermost(x) is None else np.stack([as_operand(part) for part in x])


def with_arrays(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments with arrays for the lists among them; where there are none for the tuples, which may be shapes or axes."""
    kind = list if list in map(type, args) else tuple
    return tuple([as_operand(arg) if type(arg) is kind else arg for arg in args])


def call(primal: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """An operation on values of which some are traced."""
    level = innermost((*args, *options.values()) if options else args)
    if level is None:
        return primal(*args, **options)
    if primal in WRITING_FUNCTIONS:
        what, instead = WRITING_FUNCTIONS[primal]
        raise_write_refused(what, next(filter(is_traced, (*args, *options.values()))), instead)
    return level.call(primal, args, options)


def is_traced(x: Any) -> bool:
    """Whether a value is a handle, or a container of some."""
    return innermost((x,)) is not None
