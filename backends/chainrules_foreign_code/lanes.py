"""Plain values for foreign code under `vmap`: where all lanes agree, and errors where they do not."""

from collections.abc import Iterator
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function
from chainrules_py.batching.failures import outcome_of_one_lane, raise_failures
from chainrules_py.errors import BatchingError
from chainrules_py.values.arrays import as_known, call_on_numbers
from chainrules_py.values.identity import qualified_name
from chainrules_tape.core.values import resolved
from chainrules_tape.in_place.lane_memory import lane_sizes
from chainrules_tape.in_place.reading import resolved_in
from chainrules_tape.refusals.errors import raise_decision
from chainrules_tape.refusals.handles import TracedArray, moved, plain


def without_derivative(x) -> Any:
    """The value of a handle without any derivative: plain, or with lanes where it has some."""
    while issubclass(type(x := resolved(x)), TracedArray):
        if x.in_lanes:
            value = without_derivative(x.value)
            return x if value is x.value else x.level.handle(value)
        x = x.value
    return x


def beneath_lanes(x) -> Any:
    """The value of a handle whose outermost levels are lanes: an array that has these as axes.

    It is what an array holds now, and stays that when the program writes into the array.
    """
    x = resolved_in(x) if issubclass(type(x), TracedArray) and x.is_stored else x
    while issubclass(type(x), TracedArray) and x.in_lanes:
        x = x.value
    return moved(x, x.value) if issubclass(type(x), TracedArray) else x


def in_any_lane(condition) -> bool:
    """Whether a condition holds for an entry, in any lane."""
    return bool(np.any(plain(condition)))


def in_all_lanes(condition) -> bool:
    """Whether a condition holds for all entries, in all lanes."""
    return bool(np.all(plain(condition)))


def check_each(function: Function, *args, **options) -> None:
    """Call a function of plain numbers, which raises for some; with lanes, once for each of them.

    Raises what it raises for all lanes, or a `BatchingError` where they differ.
    """
    given = [*args, *options.values()]
    if not any(map(lane_sizes, given)):
        check_plain(function, args, options)
        return

    def check_lane(values: tuple[Any, ...]) -> None:
        named = dict(zip(options, values[len(args) :], strict=True))
        function(*values[: len(args)], **named)

    found = [outcome_of_one_lane(check_lane, values) for values in numbers_of_lanes(given)]
    try:
        raise_failures(f"vmap({qualified_name(function)})", found)
    except BatchingError as failure:
        innermost_lanes(given).note_failure(failure)
        raise


def check_plain(function: Function, args: Args, options: Any) -> None:
    """Call a function or a class with the numbers beneath what it is given."""
    # a class converts all numbers of a class, or none
    is_class = isinstance(function, type)
    call, beneath = (function, known) if is_class else (partial(call_on_numbers, function), plain)
    call(*map(beneath, args), **{name: beneath(part) for name, part in options.items()})


def numbers_of_lanes(given: list[Any]) -> Iterator[tuple[Any, ...]]:
    """The numbers in each lane; values with fewer axes of lanes have the outermost of them."""
    numbers = [np.asarray(plain(x)) for x in given]
    rank = max(x.ndim for x in numbers)
    aligned = [x.reshape(x.shape + (1,) * (rank - x.ndim)) for x in numbers]
    return zip(*[x.reshape(-1).tolist() for x in np.broadcast_arrays(*aligned)], strict=True)


def known(x) -> Any:
    """The number or array beneath all derivatives, also where a program records it."""
    return as_known(plain(x))


def innermost_lanes(values: list[Any]) -> Any:
    """The level opened last of those by whose lanes values differ."""
    levels = []
    for x in values:
        while issubclass(type(x), TracedArray):
            if x.in_lanes:
                levels.append(x.level)
            x = x.value
    return max(levels, key=attrgetter("serial"))


def require_no_lanes(function: Function, *args) -> None:
    """Raise for a function that gives a plain number, of values that differ from lane to lane."""
    in_lanes = [x for x in args if lane_sizes(x)]
    if not in_lanes:
        return
    name = function.__name__
    got = f"{name}(x), of a value that differs from lane to lane"
    instead = "write NumPy's function of the same meaning, such as numpy.floor(x) or numpy.isnan(x)"
    raise_decision(innermost_lanes(in_lanes), BatchingError("vmap", got, instead))
