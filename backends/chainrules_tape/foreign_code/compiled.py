"""Functions that numba compiles: with plain values as they are, with traced ones the Python
functions that they were made of.

Numba compiles when a function is first called, and then reads the globals of its module. It is to
find NumPy there; so each of its functions is given a copy of these, as they were.
"""

from types import FunctionType
from typing import Any

from chainrules_tape.core.levels import innermost, open_levels
from chainrules_tape.numpy.vectorizing import vectorize


class Compiled:
    """A compiled function, which is its Python function for traced values, and has the attributes
    of the compiled one.
    """

    def __init__(self, compiled: Any, function: Any) -> None:
        self.__wrapped__, self._function = compiled, function

    def __call__(self, *args: Any, **options: Any) -> Any:
        """The result, by the Python function where something is traced."""
        if open_levels and innermost((*args, *options.values())) is not None:
            return self._function(*args, **options)
        return self.__wrapped__(*args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)


def dispatcher_of(found: Any) -> Any:
    """What chooses among the compiled forms of a function of numba's; None of its other objects."""
    dispatcher = getattr(found, "_dispatcher", found)
    return dispatcher if isinstance(getattr(dispatcher, "py_func", None), FunctionType) else None


def for_traced(found: Any, function: FunctionType) -> Compiled:
    """The stand-in for a compiled function, given its Python function; one of entries is called on
    each.
    """
    return Compiled(found, function if dispatcher_of(found) is found else vectorize(function))
