"""One call per lane: right for every function, and used for those without a rule for batching."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.batching.lanes import (
    Lanes,
    Same,
    all_in_lanes,
    changed_lanes,
    has_entries,
    lane_count,
    laned_values,
    one_lane,
    refuse_result,
    stand_in,
)
from chainrules_py.errors import BatchingError
from chainrules_py.values.arrays import common_namespace
from chainrules_py.values.identity import made_of, qualified_name
from chainrules_py.values.structure import fields, is_container, mapped, rebuild


def looped(run: Function, lanes: Lanes, args: Args, options: Options) -> Any:
    """Call a function once per lane, and put the results into lanes.

    Without any lane it is called with made-up numbers, for the shape of a result.
    """
    call, each, given = call_of_one(run, lanes, args, options)
    count = next(laned_values(each, given)).shape[0]
    if count == 0:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of numbers that nobody has passed
            return without_lanes(of_made_up(call, each, given))
    results = [call(one_lane(each, given, number)) for number in range(count)]
    return stacked_results(f"batched({qualified_name(run)})", results)


def of_made_up(call: Function, lanes: Lanes, args: Args) -> Any:
    """The result of a call with ones in the place of lanes, or with other numbers where it refuses
    these.
    """

    def called(put: Callable[[Any], Any]) -> Any:
        pairs = zip(lanes, args, strict=True)
        return call(tuple([changed_lanes(lane, x, put) for lane, x in pairs]))

    def called_with(numbers: Iterator[Any]) -> Any:
        return called(lambda x: next(numbers)[()])

    try:
        return called(stand_in)
    except (ValueError, ArithmeticError):  # out of its domain
        from chainrules_py.batching.made_up import made_up_arguments  # which few calls need

        kinds = [(x.shape[1:], x.dtype) for x in laned_values(lanes, args)]
        for numbers in made_up_arguments(kinds):
            with suppress(ValueError, ArithmeticError):
                return called_with(iter(numbers))
        raise


def call_of_one(
    run: Function, lanes: Lanes, args: Args, options: Options
) -> tuple[Callable[[tuple[Any, ...]], Any], Lanes, tuple[Any, ...]]:
    """A function of the values of one lane; and which values have lanes, and with them.

    They are the arguments, and the options that have lanes.
    """
    named = [(name, True) if type(name) is str else name for name in lanes[len(args) :]]
    names = [name for name, _ in named]
    given = (*args, *[options[name] for name in names])
    each = lanes[: len(args)] + tuple([lane for _, lane in named])

    def call_one_lane(values: tuple[Any, ...]) -> Any:
        own = dict(zip(names, values[len(args) :], strict=True))
        return run(*values[: len(args)], **{**options, **own})

    return call_one_lane, each, given


def no_list_of_lanes(primal, rule: Function, lanes: Lanes) -> Function:
    """A rule for many examples that returns a list only where its function returns one.

    A list with one result for each lane would be taken for a result of as many parts.
    """

    def batched_rule(*args, **options) -> Any:
        y = rule(*args, **options)
        if type(y) is list:
            call, each, given = call_of_one(made_of(primal) or primal, lanes, args, options)
            if type(call(one_lane(each, given, 0))) is not list:
                refuse_result(primal, y, len(next(laned_values(each, given))))
        return y

    return batched_rule


def one_by_one(function: Function, lanes: tuple[bool, ...], args: Args) -> Any:
    """Call a function once for each example, which lie along the first axis of some arguments."""
    count = lane_count("the calls of many examples", lanes, args)
    return all_in_lanes(function, looped(function, lanes, args, {}), count)


def stacked_results(where: str, results: list[Any]) -> Any:
    """The results of all lanes as one, with lanes in front of each array."""
    first = results[0]
    if is_container(first):
        require_equal_parts(where, results)
        parts = [fields(result) for result in results]
        own = {key: stacked_results(where, [part[key] for part in parts]) for key in parts[0]}
        return rebuild(first, own)
    if all(isinstance(result, str) for result in results):  # messages, which people read
        return Same("; ".join(dict.fromkeys(results)))
    is_flag = type(first) is bool and all(result is first for result in results)
    if is_flag or not has_entries(first):  # a flag, as cho_factor returns, can still decide
        require_equal(where, results)
        return Same(first)
    xp = common_namespace(results)
    arrays = [x if hasattr(x, "shape") else np.asarray(x) for x in results]
    require_equal_shapes(where, arrays)
    return xp.stack(arrays)


def without_lanes(result) -> Any:
    """The result of no lane, given that of ones."""
    if is_container(result):
        return mapped(without_lanes, result)
    if not has_entries(result):
        return Same(result)
    array = result if hasattr(result, "shape") else np.asarray(result)
    return np.zeros((0, *array.shape), array.dtype)


def require_equal_parts(where: str, results: list[Any]) -> None:
    """Raise where the containers that the lanes give are not built alike."""
    first = results[0]
    for result in results:
        if type(result) is not type(first) or fields(result).keys() != fields(first).keys():
            got = f"the lanes return containers with different parts: {first!r} and {result!r}"
            raise BatchingError(where, got, "return the same parts in each lane")


def require_equal_shapes(where: str, arrays: list[Any]) -> None:
    """Raise where the results of the lanes have different shapes."""
    shapes = {x.shape: None for x in arrays}
    if len(shapes) > 1:
        got = f"the lanes return results of the shapes {' and '.join(map(str, list(shapes)[:3]))}"
        raise BatchingError(where, got, "let the shape of a result depend on shapes alone")


def require_equal(where: str, results: list[Any]) -> None:
    """Raise where results that are no arrays differ from lane to lane."""
    first = results[0]
    for result in results:
        if result is first:
            continue
        comparable = type(result) is type(first) and isinstance(result, bytes | np.dtype)
        if not comparable or result != first:
            got = f"the lanes return objects of class {type(result).__name__}, which cannot be in lanes"
            raise BatchingError(where, got, "return arrays, numbers, or containers of them")
