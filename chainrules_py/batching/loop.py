"""One call per lane: right for every function, and what those without a rule for batching have."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.batching.lanes import Lanes, Same, changed, laned_values, one_lane, stand_in
from chainrules_py.values.arrays import library_of_types
from chainrules_py.values.structure import fields, is_container, rebuild


def looped(
    run: Callable[..., Any], lanes: Lanes, args: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """Call a function once per lane, and put the results into lanes.

    Without any lane it is called once, with zeros, for the shape of a result.
    """
    names = [name for name in lanes if type(name) is str]
    given = (*args, *[options[name] for name in names])
    each = lanes[: len(args)] + (True,) * len(names)
    count = next(laned_values(each, given)).shape[0]

    def call(values: tuple[Any, ...]) -> Any:
        own = dict(zip(names, values[len(args) :], strict=True))
        return run(*values[: len(args)], **{**options, **own})

    if count == 0:
        pairs = zip(each, given, strict=True)
        return without_lanes(call(tuple([changed(lane, x, stand_in) for lane, x in pairs])))
    return stacked([call(one_lane(each, given, number)) for number in range(count)])


def stacked(results: list[Any]) -> Any:
    """The results of all lanes as one, with lanes in front of each array."""
    first = results[0]
    if is_container(first):
        parts = [fields(result) for result in results]
        return rebuild(first, {key: stacked([part[key] for part in parts]) for key in parts[0]})
    if not hasattr(first, "shape") and not isinstance(first, bool | int | float | complex):
        return Same(first)
    xp = library_of_types(map(type, results)).namespace
    return xp.stack([x if hasattr(x, "shape") else np.asarray(x) for x in results])


def without_lanes(result: Any) -> Any:
    """The result of no lane, given that of zeros."""
    if is_container(result):
        return rebuild(result, {key: without_lanes(part) for key, part in fields(result).items()})
    if not hasattr(result, "shape"):
        return Same(result)
    return np.zeros((0, *result.shape), result.dtype)
