"""How many hold an object, and what a proxy shows.

CPython counts references. How many of them a variable makes depends on its version, and is measured
once.
"""

import sys
from collections.abc import Callable


def _unknown_count(x: object) -> int:
    """More references than any object has: without a count, objects are taken to be shared."""
    return sys.maxsize


# It is compared with another count that was taken alike; by itself it means nothing.
reference_count: Callable[[object], int] = getattr(sys, "getrefcount", _unknown_count)


def _counted_as_argument(x: object) -> int:
    return reference_count(x)


def _references_of_a_variable() -> int:
    x = object()
    return _counted_as_argument(x)


_OF_ONE_VARIABLE = _references_of_a_variable() if reference_count is not _unknown_count else 0


def is_held_once(x: object) -> bool:
    """Whether an object is held by one variable of the caller, and by nothing else."""
    return reference_count(x) <= _OF_ONE_VARIABLE
