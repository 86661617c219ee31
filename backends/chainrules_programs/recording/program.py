"""A recorded program: the calls of NumPy's functions that a run consisted of, in their order.

`Value` stands for an array or a number that the run computed or was given. The steps of the list
are `Call` and `Guard`; operands of a step are Values, or constants: what the run took from elsewhere
(Python's numbers, axes, types, arrays that do not come from the arguments). Both may stand inside of
tuples, lists, dicts and slices.
"""

from collections.abc import Callable, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.values.structure import declare_leaf

FEW = 1024  # bytes of a constant that is compared with others by its contents


@dataclass(eq=False, slots=True)
class Value:
    """An array or a number of a recorded program; two of them are never equal.

    `array` is what it was while recording; its memory says which other values it is a view of.
    `name` is what the user calls it, where that is known. `recording` is None but while the
    function runs: then this is a `Recorded`, which becomes a plain Value at the end.
    """

    array: Any
    name: str | None = None
    recording: Any = None


declare_leaf(Value)


@dataclass(frozen=True, slots=True)
class Count:
    """An integer of a loop: ``first + step * k`` in repetition k, whose `counter` is called so."""

    first: int
    step: int
    counter: str = "k"


Place = tuple[str, int]  # a file and a line of the user's


@dataclass(eq=False, slots=True)
class Call:
    """``results = primal(*args, **options)``, or into the memory of `into`, where that is given.

    `results` is one Value, or a tuple or list of them as the function returns it; None stands for
    parts that nobody reads. A write ``x[index] = v`` is the call of `operator.setitem`, into `x`.
    """

    primal: Function
    args: tuple[Any, ...]
    options: dict[str, Any]
    results: Any
    place: Place | None = None
    into: Value | None = None
    strict: bool = False  # inside of a pullback, where zero must not meet infinity
    # what a program that is shown says of it beside; of a sum into known entries, what these are then
    note: Any = None


def with_operands(call: Call, args: Args, options: Options, into: Value | None) -> Call:
    """Return the call with other operands, as `dataclasses.replace` in a fifth of its time."""
    return Call(call.primal, args, options, call.results, call.place, into, call.strict, call.note)


@dataclass(eq=False, slots=True)
class Guard:
    """A question that the run asked of a value, such as `bool`, and the answer that it went on with."""

    question: Callable[[Any], Any]
    operand: Any
    answer: Any
    place: Place | None = None


Step = Call | Guard


@dataclass(slots=True)
class Program:
    """Inputs, steps, and the result: a container of Values and constants, as the run returned it.

    `asks_errors`: its function asks which errors and warnings NumPy's calls have, so that calls are
    needed whose results nobody reads. `written` is memory that is written elsewhere, too, and `shared`
    that of results which may be other values of theirs: of parts of programs, which loops are.
    `overwritten` is memory into which the recording wrote, even if no step does so any more: the
    arrays of its values no longer hold what was computed. `raised` are the kinds of floating-point
    errors that raise within its function, though not outside.
    """

    inputs: tuple[Value, ...]
    steps: list[Step] = field(default_factory=list)
    result: Any = None
    asks_errors: bool = False
    written: Set[int] = frozenset()
    shared: Set[int] = frozenset()
    overwritten: Set[int] = frozenset()
    raised: Set[str] = frozenset()


def array_of(operand) -> Any:
    """The array or number that an operand is in the recording."""
    return operand.array if isinstance(operand, Value) else operand


def values_of(operand) -> list[Value]:
    """List the Values among an operand's parts, in order."""
    found: list[Value] = []
    collect_values(operand, found)
    return found


def collect_values(operand, found: list[Value]) -> None:
    """Add the Values among an operand's parts to a list."""
    # per operand of each step of each pass: a generator takes three times as long
    kind = type(operand)
    if kind is Value:
        found.append(operand)
    elif kind is tuple or kind is list:
        for part in operand:
            collect_values(part, found)
    elif kind is slice:
        for part in (operand.start, operand.stop, operand.step):
            collect_values(part, found)
    elif isinstance(operand, tuple | list):
        for part in operand:
            collect_values(part, found)
    elif isinstance(operand, dict):
        for part in operand.values():
            collect_values(part, found)


def with_values(operand, replaced: Callable[[Value], Any]) -> Any:
    """Return the operand with ``replaced(value)`` in the place of each of its Values."""
    if type(operand) is Value:  # nearly always
        return replaced(operand)
    return with_parts(operand, lambda part: replaced(part) if isinstance(part, Value) else part)


def with_parts(operand, replaced: Callable[[Any], Any]) -> Any:
    """Return the operand with ``replaced(part)`` in the place of each part that is no container."""
    if isinstance(operand, tuple):
        parts = [with_parts(part, replaced) for part in operand]
        return type(operand)(*parts) if hasattr(operand, "_fields") else tuple(parts)
    if isinstance(operand, list):
        return [with_parts(part, replaced) for part in operand]
    if isinstance(operand, dict):
        return {key: with_parts(part, replaced) for key, part in operand.items()}
    if isinstance(operand, slice):
        ends = (operand.start, operand.stop, operand.step)
        return slice(*[with_parts(part, replaced) for part in ends])
    return replaced(operand)


def parts_of_operand(operand) -> list[Any]:
    """List the parts of an operand that are no containers."""
    found: list[Any] = []
    with_parts(operand, found.append)
    return found


def key_of(operand) -> Any:
    """Return a key that two operands share if they may stand for each other.

    Zeros of either sign differ, True differs from 1, and large arrays go by their identity.
    """
    if isinstance(operand, Value | Count):
        return operand
    if isinstance(operand, np.ndarray):
        is_large = operand.nbytes > FEW and any(operand.strides)
        if is_large or operand.dtype.hasobject:
            return id(operand)
        first = operand.tobytes() if operand.nbytes <= FEW else operand.flat[0].tobytes()
        return operand.shape, operand.strides, operand.dtype, first
    if isinstance(operand, tuple | list):
        return type(operand), *map(key_of, operand)
    if isinstance(operand, slice):
        return slice, key_of(operand.start), key_of(operand.stop), key_of(operand.step)
    if isinstance(operand, dict):
        return dict, *[(key, key_of(part)) for key, part in operand.items()]
    if isinstance(operand, int | float | complex | np.generic):
        return type(operand), repr(operand)
    if isinstance(operand, str | bytes | np.dtype | type | None):
        return type(operand), operand
    return id(operand)
