"""What wraps functions: partials, methods, descriptors of classes, and caches."""

from functools import _lru_cache_wrapper, partial
from types import MethodType
from typing import Any

# the attributes in which a wrapper holds what it calls, and calls that with
_HELD: dict[type, tuple[str, ...]] = {
    partial: ("func", "args", "keywords"),
    MethodType: ("__func__", "__self__"),
    property: ("fget", "fset", "fdel"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    _lru_cache_wrapper: ("__wrapped__",),
}

_WRAPPERS = tuple(_HELD)


def wrapped_parts(x) -> list[Any]:
    """What a wrapper of a function holds: the function, and what it is called with; nothing for other
    objects.

    >>> wrapped_parts(partial(max, 1.0))
    [<built-in function max>, (1.0,), {}]
    """
    names = wrapped_names(x)
    return [getattr(x, name, None) for name in names] if names else []


def wrapped_names(x) -> tuple[str, ...]:
    """The attributes in which a wrapper holds its function, and what that is called with."""
    cls = type(x)  # an object may do anything when it is asked itself
    if not issubclass(cls, _WRAPPERS):  # nearly always
        return ()
    return next(names for each, names in _HELD.items() if issubclass(cls, each))
