"""Call the plain Python function behind a cached or compiled one if arguments are traced.

A cache (`functools.lru_cache`) looks arguments up, which a traced number does not allow, and would
keep traced results for calls that know nothing of them. So calls with traced arguments go to the
function itself, and nothing of them is kept.

What Numba compiles keeps its own code, which Numba reads when it is first called. Calls with traced
arguments go to another function, of the same source, whose code asks for its callees.
"""

import functools
from types import FunctionType
from typing import Any

from chainrules_foreign_code.new_arrays import keeping
from chainrules_py.values.made_once import MadeOnce
from chainrules_tape.core.levels import innermost, open_levels
from chainrules_tape.in_place.storages import STORED
from chainrules_tape.numpy.vectorizing import vectorize
from chainrules_tape.refusals.instrumented_packages import arrays_of

LruCache = type(functools.lru_cache(int))


class Alternative:
    """A function with the attributes of another, which it calls if nothing is traced."""

    def __init__(self, function, of_traced) -> None:
        functools.update_wrapper(self, function, updated=())
        self._of_traced = of_traced

    def __call__(self, *args, **options) -> Any:
        """Call the original, or its alternative if something is traced."""
        if open_levels and are_some_stood_for((*args, *options.values())):
            return self._of_traced(*args, **options)
        return self.__wrapped__(*map(memory_of, args), **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)


def are_some_stood_for(values: tuple[Any, ...]) -> bool:
    """Whether some of these are traced values, or represent such."""
    return innermost(values) is not None or any(type(value) in arrays_of for value in values)


def memory_of(value) -> Any:
    """The memory of an array that a derivative has made, where nothing traced is in it."""
    is_plain = type(value) in STORED and value.level is None
    return value.plain_view if is_plain and value.storage.state.held is None else value


class Cached(Alternative):
    """A function with a cache, which stores results of plain values only, as NumPy's arrays.

    One that captures variables of the function around it may compute with traced values all the same.
    """

    def __call__(self, *args, **options) -> Any:
        """Call the function, without its cache if arguments are traced."""
        token = keeping.set(self._of_traced.__closure__ is None)
        try:
            return super().__call__(*args, **options)
        finally:
            keeping.reset(token)


# the one alternative of a function with a cache
cached = MadeOnce(lambda function: Cached(function, function.__wrapped__))


def dispatcher_of(found) -> Any:
    """The dispatcher of a function that Numba compiled; None for Numba's other objects."""
    dispatcher = getattr(found, "_dispatcher", found)
    return dispatcher if isinstance(getattr(dispatcher, "py_func", None), FunctionType) else None


def alternative_of_compiled(found, function: FunctionType) -> Any:
    """The alternative of a function that Numba compiled, given its Python function.

    A compiled function of numbers, by ``numba.vectorize``, is called with each entry. One that
    writes its results into its last arguments, by ``numba.guvectorize``, has no alternative.
    """
    if isinstance(getattr(found, "signature", None), str):
        return found
    is_of_arrays = dispatcher_of(found) is found
    return Alternative(found, function if is_of_arrays else vectorize(function))
