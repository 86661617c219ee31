"""Calling SciPy's functions inside of rules, so that an engine sees the call and derivatives of derivatives go on."""

from collections.abc import Callable
from typing import Any

from chainrules_py.arrays import library_of_types


def call(function: Any, *args: Any, **options: Any) -> Any:
    """Call a function of SciPy's by the library of its arguments, those in tuples included."""
    parts = [part for arg in args for part in (arg if isinstance(arg, tuple) else (arg,))]
    return library_of_types(map(type, parts)).implementation(function)(*args, **options)


def computed_once(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Make a function that computes once what several maps of one pullback ask for with the same cotangent."""
    last: list[Any] = []

    def computed(v: Any) -> Any:
        if not last or last[0] is not v:
            last[:] = v, function(v)
        return last[1]

    return computed
