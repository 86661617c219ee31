"""Tell compilers of Python, such as TorchDynamo, to run the entry points of engines as they are.

An engine names its entry points, and the adapter of a library with such a compiler says how one is
marked, in either order.
"""

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from chainrules_py.annotations import Function
from chainrules_py.values.discovery import load_backend_named

F = TypeVar("F", bound=Function)
# libraries of which we know that they compile Python, as long as their adapters have marked nothing
unmarked = {"torch"}
_entry_points: list[Function] = []
_marks: list[Callable[[Function], Any]] = []


def entry_point(function: F) -> F:
    """Declare a function to be one that compilers call as it is, with all that is called in it."""
    _entry_points.append(function)
    for mark in _marks:
        mark(function)
    return function


def mark_entry_points(mark: Callable[[Function], Any]) -> None:
    """Have each entry point marked for a compiler: those that are declared, and those to come."""
    _marks.append(mark)
    for function in _entry_points:
        mark(function)


def load_compilers() -> None:
    """Import the adapters of libraries with a compiler that the program has imported: they have to
    mark the entry points.
    """
    for name in unmarked.copy():
        if name in sys.modules:
            try:
                load_backend_named(name)
            finally:  # afterwards: another thread marks nothing before all is marked
                unmarked.discard(name)
