"""Derivatives one example after the other, for functions that decide by the numbers of an example.

In lanes such a function raises a `BatchingError`: constraints hold in some examples and not in
others, functions that people write have branches. It is then differentiated as a whole within an
operation that has no rule for lanes, and so is called for each of them.
"""

from collections.abc import Callable, Iterator
from typing import Any

from chainrules_py.annotations import Function
from chainrules_py.batching.failures import note_handled
from chainrules_py.batching.lanes import Lanes, Same
from chainrules_py.errors import BatchingError
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import primitive
from chainrules_py.rules.config import HasForwardsMode, HasReverseMode, frule_via_ad, rrule_via_ad
from chainrules_py.rulesets.formulas.coordinates import Coordinates
from chainrules_py.table.registry import default_rules
from chainrules_py.tangents import NO_TANGENT, with_entries
from chainrules_py.tangents.plain_containers import tangents_of_parts
from chainrules_py.values.structure import fields, is_container


def has_lanes(values) -> bool:
    """Whether values are those of many examples of an engine of ours; JAX has lanes of its own."""
    if next(traced_in(values), None) is None:
        return False
    traced = list(traced_in(ignore_derivatives(values)))
    return bool(traced) and are_lanes(traced)


def traced_in(x) -> Iterator[Any]:
    """The traced values in containers."""
    if is_container(x):
        for part in fields(x).values():
            yield from traced_in(part)
    elif hasattr(type(x), "__chainrules_call__"):
        yield x


@primitive
def are_lanes(values) -> bool:
    """Whether a call with these values is one of many examples."""
    return False


@default_rules.batched.register(are_lanes)
def are_lanes_batched(lanes: Lanes, values: object) -> Same:
    """It is."""
    return Same(True)


@primitive
def each_example(function: Function, *args) -> Any:
    """Call a function of arguments in lanes for each lane."""
    return function(*args)


@default_rules.rrule.register(each_example)
def each_example_rrule(
    function, *args: object, config: HasReverseMode
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The pullback of the function, one example after the other, too."""

    def pullback_at(function, *args):
        return rrule_via_ad(config, each_of, function, *args)[1]

    return each_example(function, *args), pullback_of_each(pullback_at, function, *args)


@default_rules.frule.register(each_example)
def each_example_frule(
    dots: tuple[Any, ...], function, *args: object, config: HasForwardsMode
) -> tuple[Any, Any]:
    """The tangent of the function, one example after the other, too."""

    def tangent_at(dots, function, *args):
        return frule_via_ad(config, dots, each_of, function, *args)[1]

    y = each_example(function, *args)
    return y, tangent_of_each(tangent_at, y, dots, function, *args)


def each_of(function, *args):
    """Call a function."""
    return function(*args)


def vector(tangents, values: tuple[Any, ...]) -> Any:
    """The coordinates of the tangents of some values, which are arrays in every lane."""
    return Coordinates(values).vector(with_entries(tuple, dict(enumerate(tangents))))


def tangents(vector, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tangents of some values with these coordinates."""
    parts = tangents_of_parts(Coordinates(values).tangent(vector), range(len(values)))
    return tuple([parts.get(k, NO_TANGENT) for k in range(len(values))])


def pullback_of_each(
    make: Callable[..., Callable[[Any], Any]], *args
) -> Callable[[Any], tuple[Any, ...]]:
    """The pullback that a function makes at some arguments, made in each lane.

    It takes an array.
    """

    def pulled(bar, *args):
        return vector(make(*args)(bar), args)

    return lambda bar: tangents(each_example(pulled, bar, *args), args)


def tangent_of_each(function: Function, like, dots: tuple[Any, ...], *args) -> Any:
    """The tangent, in each lane, of a value that is `like`, given those of the arguments."""

    def pushed(like, along, *args):
        return vector((function(tangents(along, args), *args),), (like,))

    return tangents(each_example(pushed, like, vector(dots, args), *args), (like,))[0]


def pullback_or_each(
    make: Callable[..., Callable[[Any], Any]], *args
) -> Callable[[Any], tuple[Any, ...]]:
    """The pullback that a function makes; where lanes decide otherwise, that of each."""
    try:
        pullback = make(*args)
    except BatchingError as error:
        note_handled(error)
        return pullback_of_each(make, *args)

    def pulled(bar) -> tuple[Any, ...]:
        try:
            return pullback(bar)
        except BatchingError as error:
            note_handled(error)
            return pullback_of_each(make, *args)(bar)

    return pulled


def tangent_or_each(function: Function, like, dots: tuple[Any, ...], *args) -> Any:
    """The tangent of a value that is `like`; where lanes decide otherwise, that of each."""
    try:
        return function(dots, *args)
    except BatchingError as error:
        note_handled(error)
        return tangent_of_each(function, like, dots, *args)
