"""Functions with a cache, by `functools.lru_cache`, in modules that are seen through.

A cache looks arguments up, which a traced number does not allow, and would keep traced results for
calls that know nothing of them. So calls with traced arguments go to the function itself, and
nothing of them is kept.
"""

import functools
from types import MethodType
from typing import Any

from chainrules_tape.core.levels import innermost, open_levels
from chainrules_tape.refusals.instrumented_packages import arrays_of

LruCache = type(functools.lru_cache(int))
_made: dict[int, "Cached"] = {}  # by the identity of what they stand for, which they hold


class Cached:
    """What stands for a function with a cache, which it is with plain arguments, and of which it
    has the attributes.
    """

    def __init__(self, function: Any) -> None:
        functools.update_wrapper(self, function, updated=())
        self.__wrapped__ = function

    def __call__(self, *args: Any, **options: Any) -> Any:
        """The result: from the cache, or of the function itself where something is traced."""
        function = self.__wrapped__
        if open_levels and is_traced((*args, *options.values())):
            function = function.__wrapped__
        return function(*args, **options)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)


def is_traced(values: tuple[Any, ...]) -> bool:
    """Whether some of these are traced values, or stand for such."""
    return innermost(values) is not None or any(type(value) in arrays_of for value in values)


def cached(function: Any) -> Cached:
    """What stands for a function with a cache, one for each."""
    return _made.setdefault(id(function), Cached(function))
