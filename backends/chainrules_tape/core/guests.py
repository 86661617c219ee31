"""Guests: objects of other libraries that have a say where they meet traced values.

The core names no other library. The modules of a guest's, such as those in `chainrules_labels`, say by these
hooks what there is to know of its classes:

    answer_for      a function computes operations beside objects of a class, in place of the tape
    become_arrays   objects become the arrays that they hold before an operation sees them
    give_methods    traced values of a level have methods that mean what they do for the guest,
                    or properties
    on_gradients    a function changes gradients before callers get them, such as their units
    give_namespace  traced arrays have a namespace of the array API standard

They register when the guest is first met: `levels.prepare_when_imported` and
`chainrules_py.values.structure.declare_when_met` say when that is. What is asked about a class is
asked once, and about arrays in slow dispatch alone.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.calls.traced_values import ArrayProxy, innermost
from chainrules_tape.core.levels import Level, open_levels
from chainrules_tape.refusals.handles import TracedArray

Test = Callable[[type], bool]
Entries = list[tuple[Test, Any]]
Compute = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
ArrayIn = Callable[[Any, Any, tuple[Any, ...]], Any]
Methods = dict[str, Any]


class ByClass(dict[type, Any]):
    """Entries that guests have registered, by class: the first entry whose test the class passes, or None.

    It is put in the place of the one before it with each entry: whoever looks something up meanwhile
    writes into that. The list of entries is one and the same, so that threads lose none.
    """

    def __init__(self, entries: Entries) -> None:
        super().__init__()
        self.entries = entries

    def __missing__(self, cls: type) -> Any:
        self[cls] = found = next((entry for holds, entry in self.entries if holds(cls)), None)
        return found

    def with_entry(self, holds: Test, entry) -> "ByClass":
        """Add an entry, and return an object that has looked up nothing yet."""
        self.entries.append((holds, entry))
        return ByClass(self.entries)


_answers, _arrays_in = ByClass([]), ByClass([])
_namespace_of: list[Function] = []  # at most one
_methods: dict[float, Methods] = {}  # by the serial number of a level
# Each is given the cotangents of arguments and the result, and returns the cotangents.
gradient_changes: list[Callable[[Any, Any], Any]] = []


def answer_for(cls: type, compute: Compute) -> None:
    """Have a function compute operations with a traced value and an object of a class.

    It returns NotImplemented for those that are no different from others.
    """
    global _answers
    _answers = _answers.with_entry(lambda found: cls in found.__mro__, compute)


def by_another_engine(primal, args: Args, options: Options):
    """Hand an operation to another engine, whose derivative began after ours."""
    owner = innermost((*args, *options.values()))
    if isinstance(owner, TracedArray):
        return NotImplemented
    return owner.__chainrules_call__(primal, args, options)


answer_for(ArrayProxy, by_another_engine)


def answer_of(cls: type) -> Compute | None:
    """Find what computes operations beside objects of a class, other than the tape."""
    return _answers[cls]


def answer_among(args: Iterable[Any]) -> Compute | None:
    """Find what computes an operation in the place of the tape, by one of its arguments."""
    if not _answers.entries:
        return None
    for arg in args:
        cls: Any = type(arg)
        found = answer_among(arg) if issubclass(cls, tuple | list) else answer_of(cls)
        if found is not None:
            return found
    return None


def become_arrays(holds: Test, array_in: ArrayIn) -> None:
    """Have objects of the classes that pass a test become the arrays that they hold.

    ``array_in(primal, x, operands)`` is the array, for an operation on operands; there are none where
    `x` is an option. It raises where the array is less than the object. Of an index that is read or
    written it may be the object, if NumPy makes an array of it.
    """
    global _arrays_in
    _arrays_in = _arrays_in.with_entry(holds, array_in)


become_arrays(lambda cls: issubclass(cls, np.poly1d), lambda primal, x, operands: x.coeffs)


def some_become_arrays(values: Iterable[Any]) -> bool:
    """Whether some of these values become the arrays that they hold."""
    return any(map(_arrays_in.__getitem__, map(type, values)))


def array_in(primal, x, operands: tuple[Any, ...] = ()) -> Any:
    """The array that an object of a guest's holds; other values as they are."""
    found = _arrays_in[type(x)]
    return x if found is None else found(primal, x, operands)


def give_methods(level: Level, methods: Methods) -> None:
    """Have traced values of a level answer methods, by name, as a guest's objects would."""
    for serial in [*_methods]:
        if serial not in open_levels:
            _methods.pop(serial, None)
    _methods[level.serial] = methods


def method_of_guest(x, name: str) -> Any:
    """The method that a traced value has of a guest, by the levels of it and of the values beneath;
    None where it has its own.
    """
    while _methods and isinstance(x, TracedArray):
        methods = _methods.get(getattr(x.level, "serial", -1), {})
        if name in methods:
            return methods[name]
        x = x.value
    return None


def on_gradients(change: Callable[[Any, Any], Any]) -> None:
    """Have a function of cotangents and the result say what gradients callers get."""
    if change not in gradient_changes:
        gradient_changes.append(change)


def give_namespace(find: Function) -> None:
    """Have a function say which namespace of the array API standard a traced array has."""
    _namespace_of[:] = [find]


def namespace_of(x, api_version: str | None) -> Any:
    """The namespace of the array API standard that a traced array has."""
    return _namespace_of[0](x, api_version)
