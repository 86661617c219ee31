"""Call a function for each of many examples, one after the other."""

from collections.abc import Callable
from typing import Any

from chainrules_py.batching.lanes import all_in_lanes, lane_count
from chainrules_py.batching.loop import looped


def one_by_one(function: Callable[..., Any], lanes: tuple[bool, ...], args: tuple[Any, ...]) -> Any:
    """Call a function once for each example, which lie along the first axis of some arguments."""
    count = lane_count("the calls of many examples", lanes, args)
    return all_in_lanes(looped(function, lanes, args, {}), count)
