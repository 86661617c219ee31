"""How many hold an object, and what is noted of a code for as long as somebody holds that.

CPython counts references. How many of them a variable makes depends on its version, and is measured
once.
"""

import sys
from collections.abc import Callable
from functools import wraps
from types import CodeType
from typing import Any
from weakref import ref


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


def noted_of_each_code(most: int) -> Callable[[Callable[..., Any]], Any]:
    """Have a function of a code remember what it has found of each, but of so many at most.

    A code is known by its identity, since its hash reads all of it, and is not kept alive: one that
    was written while the program ran may hold all variables of its file.
    """

    def remembering(find: Callable[..., Any]) -> Any:
        known: dict[int, tuple[Any, dict[Any, Any]]] = {}

        @wraps(find)
        def found(code: CodeType, *rest) -> Any:
            key = id(code)
            noted = known.get(key)
            if noted is None:
                if len(known) >= most:
                    known.clear()
                known[key] = noted = ref(code, lambda _: known.pop(key, None)), {}
            notes = noted[1]
            if rest not in notes:
                notes[rest] = find(code, *rest)
            return notes[rest]

        return found

    return remembering
