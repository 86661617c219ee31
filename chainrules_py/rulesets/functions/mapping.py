"""Rules of `map` and `functools.reduce`.

The engine differentiates each call, and the rule hands the pieces on.

What is iterated over is a tuple or a list, whose cotangent is one of its own class, or an array,
read row by row, whose cotangent is stacked. Anything else (a range, the keys of a dict) holds
constants.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from chainrules_py import (
    Array,
    HasForwardsMode,
    HasReverseMode,
    ProjectTo,
    frule,
    rrule,
)
from chainrules_py.rulesets.formulas.array_likes import Function
from chainrules_py.rulesets.functions.given_functions import (
    frule_of_given,
    rrule_of_given,
    summed,
)
from chainrules_py.table.entry_points import Pullback
from chainrules_py.tangents import (
    NO_TANGENT,
    ZERO,
    Tangent,
    entries,
    is_zero,
    unthunk,
    with_entries,
)
from chainrules_py.values.structure import fields

Gather = Callable[[Sequence[Any], Any], Any]


# --- Items and their tangents ---


def gatherer(iterable) -> Gather:
    """Make the function that joins cotangents of items to one of what is iterated over.

    They are those of the first items, as many as were reached; those of the others are zero.
    """
    project = ProjectTo(iterable)
    if isinstance(iterable, Array):
        shape, dtype = iterable.shape, iterable.dtype
        return lambda bars, xp: project(stacked(bars, shape, dtype, xp))
    if isinstance(iterable, tuple | list):
        cls, keys = type(iterable), tuple(fields(iterable))
        return lambda bars, xp: project(
            with_entries(cls, dict(zip(keys, padded(bars, len(keys)), strict=True)))
        )
    return lambda bars, xp: NO_TANGENT


def padded(bars: Sequence[Any], count: int) -> list[Any]:
    """The cotangents filled up to a count, with ZERO for those that are missing."""
    return [*bars, *[ZERO] * (count - len(bars))]


def stacked(bars: Sequence[Any], shape: tuple[int, ...], dtype, xp) -> Any:
    """The cotangents of the first rows of an array as that of the array; ZERO if all are."""
    if all(map(is_zero, bars)):
        return ZERO
    return xp.stack(
        [
            xp.zeros(shape[1:], dtype) if is_zero(bar) else unthunk(bar)
            for bar in padded(bars, shape[0])
        ]
    )


def item_dots(dot, iterable, count: int) -> list[Any]:
    """The tangents of the first items of what is iterated over."""
    if is_zero(dot) or not isinstance(iterable, Array | tuple | list):
        return [ZERO] * count
    if isinstance(dot, Tangent):
        own = entries(dot)
        return [unthunk(own.get(key, ZERO)) for key in list(fields(iterable))[:count]]
    return list(dot)[:count]


# --- map ---


@rrule.register(map)
def map_rrule(
    function: Function,
    *iterables: object,
    config: HasReverseMode,
    needs: tuple[bool, ...],
    xp,
) -> tuple[Any, Pullback]:
    """Each call has a pullback of its own.

    The value is a list: an iterator, which `map` itself returns, has no tangent.
    """
    run = rrule_of_given(config, function, needs[0])
    answers = [run(*items) for items in zip(*iterables, strict=False)]
    pullbacks = [pullback for _, pullback in answers]
    gather = [gatherer(iterable) for iterable in iterables]
    nothing = (ZERO,) * (1 + len(iterables))

    def map_pullback(y_bar) -> tuple[Any, ...]:
        seeds = [ZERO] * len(pullbacks) if is_zero(y_bar) else map(unthunk, y_bar)
        bars = [
            nothing if is_zero(seed) else pullback(seed)
            for pullback, seed in zip(pullbacks, seeds, strict=True)
        ]
        return summed([bar[0] for bar in bars]), *[
            gathered([bar[k] for bar in bars], xp) for k, gathered in enumerate(gather, 1)
        ]

    return [y for y, _ in answers], map_pullback


@frule.register(map)
def map_frule(
    dots: tuple[Any, ...], function: Function, *iterables: object, config: HasForwardsMode, xp
) -> tuple[Any, Any]:
    """Each call has a tangent of its own; the value is a list."""
    calls = list(zip(*iterables, strict=False))
    columns = [
        item_dots(dot, iterable, len(calls))
        for dot, iterable in zip(dots[1:], iterables, strict=True)
    ]
    run = frule_of_given(config, function, dots[0])
    pairs = [run(own, *items) for own, items in zip(zip(*columns, strict=True), calls, strict=True)]
    return [y for y, _ in pairs], with_entries(list, dict(enumerate(y_dot for _, y_dot in pairs)))


# --- reduce ---


def items_to_reduce(function, iterable, initial: tuple[Any, ...]) -> list[Any]:
    """The initial value, where there is one, and the items.

    Raises what Python does where there is nothing to begin with.
    """
    items = list(iterable)
    if len(initial) > 1 or not (initial or items):
        reduce(function, items, *initial)
    return [*initial, *items]


@rrule.register(reduce)
def reduce_rrule(
    function: Function,
    iterable: object,
    *initial: object,
    config: HasReverseMode,
    needs: tuple[bool, ...],
    xp,
) -> tuple[Any, Pullback]:
    """The pullbacks, last call first.

    Each gives the cotangent of the next item and of what came before.
    """
    y, *items = items_to_reduce(function, iterable, initial)
    gather, pullbacks = gatherer(iterable), []
    run = rrule_of_given(config, function, needs[0])
    for item in items:
        y, pullback = run(y, item)
        pullbacks.append(pullback)

    def reduce_pullback(y_bar) -> tuple[Any, ...]:
        bars, function_bars = [], []
        for pullback in reversed(pullbacks):
            nothing = (ZERO, ZERO, ZERO)
            own, y_bar, item_bar = nothing if is_zero(y_bar) else map(unthunk, pullback(y_bar))
            function_bars.append(own)
            bars.append(item_bar)
        bars.reverse()
        items_bar = [gather(bars, xp), y_bar] if initial else [gather([y_bar, *bars], xp)]
        return summed(function_bars), *items_bar

    return y, reduce_pullback


@frule.register(reduce)
def reduce_frule(
    dots: tuple[Any, ...],
    function: Function,
    iterable: object,
    *initial: object,
    config: HasForwardsMode,
    xp,
) -> tuple[Any, Any]:
    """The tangents, first call first."""
    y, *items = items_to_reduce(function, iterable, initial)
    y_dot, *rest = [*dots[2:], *item_dots(dots[1], iterable, len(items) + 1 - len(initial))]
    run = frule_of_given(config, function, dots[0])
    for item, item_dot in zip(items, rest, strict=True):
        y, y_dot = run((unthunk(y_dot), item_dot), y, item)
    return y, y_dot
