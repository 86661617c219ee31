"""NumPy's functions for lists of traced values, which become arrays of them first.

NumPy asks the arguments whether they want to intercept a call, not what is in a list; for
``np.mean([x, y])`` nobody answers. Nor does anybody for arrays of objects: NumPy adds traced
numbers in them by their operators, but makes plain numbers of their mean.
"""

from collections.abc import Sequence
from functools import update_wrapper
from types import NoneType
from typing import Any

import numpy

from chainrules_py.annotations import Function
from chainrules_tape.arrays.arrays_of_numbers import array_of_list
from chainrules_tape.arrays.fast_dispatch import INTEGERS
from chainrules_tape.core.levels import call_traced, innermost, open_levels
from chainrules_tape.numpy.objects import holds_traced_objects
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.refusals.instrumented_packages import array_of_object, with_traced

# Whose lists are no arrays: nested lists of blocks, choices of several shapes, arguments of a
# function that is called.
_OTHER_LISTS = {
    numpy.block,
    numpy.choose,
    numpy.apply_along_axis,
    numpy.apply_over_axes,
    numpy.piecewise,
}
# Which make plain numbers of those in an array of objects.
_OF_NUMBERS = {
    *(numpy.mean, numpy.std, numpy.var, numpy.average, numpy.median, numpy.quantile),
    *(numpy.nanmean, numpy.nanstd, numpy.nanvar, numpy.nanmedian, numpy.nanquantile),
    *(numpy.percentile, numpy.nanpercentile, numpy.gradient),
}
_BUILTIN = frozenset({list, tuple})
_PLAIN = frozenset({numpy.ndarray, numpy.float64, int, float, bool, NoneType, str, type})
# Whose first argument is a list of arrays.
_JOINING = {
    *(numpy.concatenate, numpy.stack, numpy.hstack, numpy.vstack, numpy.dstack, numpy.column_stack),
    *(numpy.linalg.multi_dot, numpy.lexsort),
}


def taking_lists(function) -> Function:
    """The function, with lists of traced values for arrays of them.

    >>> from chainrules_tape import grad
    >>> grad(lambda x: taking_lists(numpy.mean)([x, 3.0 * x]))(1.0)
    2.0
    """
    if function in _OTHER_LISTS:
        return function
    if function is numpy.take:
        return update_wrapper(taking(function), function)
    made = joining_lists(function) if function in _JOINING else converting_lists(function)
    made = converting_objects(made) if function in _OF_NUMBERS else made
    return update_wrapper(made, function)


def converting_lists(function: Function) -> Function:
    """Make a function of arrays take lists of traced values."""

    # This stands before every call of the function: 0.1 us where no argument is a list, and where
    # nothing is traced.
    def with_lists(*args, **options) -> Any:
        if not open_levels:
            return function(*args, **options) if options else function(*args)
        for arg in (*args, *options.values()) if options else args:
            if type(arg) in _PLAIN or issubclass(type(arg), TracedArray):
                continue
            is_list = type(arg) in _BUILTIN
            is_converted = are_some_traced(arg) if is_list else array_of_object(arg) is not arg
            if is_converted:
                return function(
                    *map(array_of_traced_parts, args),
                    **{name: array_of_traced_parts(option) for name, option in options.items()},
                )
        return function(*args, **options)

    return with_lists


def converting_objects(function: Function) -> Function:
    """Make a function of arrays take arrays of objects that hold traced numbers."""

    def with_objects(*args, **options):
        if open_levels and any(map(holds_traced_objects, (*args, *options.values()))):
            args = tuple(map(as_numbers, args))
            options = {name: as_numbers(option) for name, option in options.items()}
        return function(*args, **options)

    return with_objects


def as_numbers(value) -> Any:
    """The traced array of the numbers in an array of objects; anything else as it is."""
    return call_traced(numpy.array, (value.tolist(),), {}) if holds_traced_objects(value) else value


def taking(function: Function) -> Function:
    """Make `take` accept traced positions, which are those of examples in lanes.

    NumPy asks the array alone who computes.
    """
    with_lists = converting_lists(function)

    def taken(a, indices, *args, **options):
        if issubclass(type(indices), TracedArray) and not issubclass(type(a), TracedArray):
            return call_traced(function, (a, indices, *args), options)
        return with_lists(a, indices, *args, **options)

    return taken


def joining_lists(function: Function) -> Function:
    """Make a function of a list of arrays take generators and lists of numbers, as in autograd."""

    # With plain arrays 0.12 us above the function; by ``*args`` alone and a set of the two classes,
    # 0.15.
    def with_lists(arrays: Any = None, /, *args, **options) -> Any:
        if not open_levels and ((cls := type(arrays)) is tuple or cls is list):
            return function(arrays, *args, **options) if args or options else function(arrays)
        if arrays is None:  # given by name
            return function(**options)
        if not hasattr(arrays, "shape"):
            arrays = tuple(map(array_of_traced_parts, arrays))
        return function(arrays, *args, **options)

    return with_lists


def are_some_traced(values: Sequence[Any]) -> bool:
    """Whether there are traced values in a list or tuple; shapes and axes are told apart fast."""
    return not INTEGERS.issuperset(map(type, values)) and innermost(values) is not None


def array_of_traced_parts(value) -> Any:
    """The array of a list or an object that holds traced values; anything else as it is."""
    if not isinstance(value, list | tuple):
        return array_of_object(value)
    of_numbers = array_of_list(value) if type(value) is list else None
    if of_numbers is None and are_some_traced(value):
        return call_traced(numpy.array, (with_traced(value),), {})
    return value if of_numbers is None else of_numbers
