"""How many hold an object, and which objects do.

CPython counts references. How many a variable makes depends on its version, so that it is measured
once.
"""

import gc
import sys
from collections.abc import Callable
from typing import Any


def _unknown_count(x: object) -> int:
    """More references than anybody asks for, so that an object counts as held by others."""
    return sys.maxsize


# A count is compared with another one that was taken in the same way; by itself it means nothing.
reference_count: Callable[[object], int] = getattr(sys, "getrefcount", _unknown_count)


def _counted_as_argument(x: object) -> int:
    return reference_count(x)


def _references_of_a_variable() -> int:
    x = object()
    return _counted_as_argument(x)


_OF_ONE_VARIABLE = _references_of_a_variable() if reference_count is not _unknown_count else 0


def is_held_once(x: object) -> bool:
    """Whether nobody holds an object but one variable of the function that asks."""
    return reference_count(x) <= _OF_ONE_VARIABLE


def referrers(*objects: Any) -> list[Any]:
    """The objects that refer to one of these, as far as the garbage collector knows them."""
    return gc.get_referrers(*objects)
