"""SciPy's functions of columns for many examples at once: each example is some columns more.

These functions compute along the first axis of one argument, a right-hand side or coefficients, and
take further axes as columns. So lanes become columns: they are put behind the other axes, and the
result has them in front again. A system is factorised once for all examples.

Where another argument has lanes, there is a loop, unless a rule of its own says better.
"""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

from chainrules_py import batched
from chainrules_py.batching.lanes import Lanes
from chainrules_py.batching.loop import looped
from chainrules_py.values.arrays import call, library_of_types

Run = Callable[[Any], Any]
Refused = Callable[[dict[str, Any]], bool]

# functions of one array, whose adjoints by `linear_pairs` take columns, too
WITH_COLUMNS: set[Any] = set()


def moved_last(x) -> Any:
    """An array with its lanes behind the other axes."""
    return library_of_types((type(x),)).namespace.moveaxis(x, 0, -1)


def moved_first(x) -> Any:
    """An array with its last axis, the lanes, in front."""
    return library_of_types((type(x),)).namespace.moveaxis(x, -1, 0)


def is_lane_alone(lanes: Lanes, args: tuple[Any, ...], place: int) -> bool:
    """Whether there are lanes, and the argument at a place is all that has some."""
    x, others = args[place], lanes[:place] + lanes[place + 1 :]
    return lanes[place] is True and not any(others) and x.ndim > 1 and x.shape[0] > 0


def with_lanes_last(run: Run, x) -> Any:
    """Call a function that takes any number of axes behind the first."""
    return moved_first(run(moved_last(x)))


def as_columns(run: Run, x) -> Any:
    """Call a function that takes a vector, or a matrix of columns, and no further axes."""
    own, count = x.shape[2:], x.shape[0]
    y = run(moved_last(x).reshape((x.shape[1], prod(own) * count)))
    return moved_first(y.reshape((y.shape[0], *own, count)))


def takes_columns(
    *primals, place: int = 0, call_with: Any = as_columns, refused: Refused | None = None
) -> None:
    """Declare functions that take columns in the argument at a place.

    Calls with options that are `refused` are made one by one.
    """
    for primal in primals:
        declare(primal, place, call_with, refused)


def declare(primal, place: int, call_with, refused: Refused | None) -> None:
    """Register the rule for batching of one function."""

    @batched.register(primal)
    def columns_batched(lanes: Lanes, *args: object, **options):
        is_refused = refused is not None and refused(options)
        if is_refused or not is_lane_alone(lanes, args, place):
            return looped(partial(call, primal), lanes, args, options)

        def run(columns) -> Any:
            return call(primal, *args[:place], columns, *args[place + 1 :], **options)

        return call_with(run, args[place])
