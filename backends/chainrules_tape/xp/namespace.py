"""Traced values as array libraries: `xp` of rules that run on values of an outer derivative.

The class of a handle says which library computes beneath all levels (`HandleClasses`), so a rule is
bound to the namespace over that library before it runs. What a rule makes of nothing, such as
``xp.arange(n)``, that library makes at once, where its arrays are:

    NumPy beneath    NumPy itself, whose functions find traced values by NumPy's protocols
    other libraries  their own function where no argument is traced, and NumPy's where one is

Arrays of real and complex numbers that a rule makes take traced values where the rule fills them:
those of NumPy, and of a library that can be written to, are stored arrays of `in_place`. Where
handles on NumPy's arrays meet plain arrays of another library, that library computes.
"""

import operator
from functools import partial, wraps
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.values.arrays import (
    ArrayLibrary,
    libraries,
    numpy_library,
    on_register,
    register_library,
    taken_in,
)
from chainrules_py.values.identity import is_out_of_reach, takes_plain_values_only
from chainrules_py.values.late_names import NamesOfNumPy, numpy_beside, with_ufunc_methods
from chainrules_py.values.structure import leaves_of
from chainrules_tape.core import duals, tape
from chainrules_tape.core.levels import call_traced, innermost
from chainrules_tape.in_place.storages import STORED, as_buffer
from chainrules_tape.lanes import level as lanes
from chainrules_tape.refusals.handles import TracedArray
from chainrules_tape.series import level as series

PRIORITY = 100  # over NumPy's arrays; over those of another library, its own priority is added

MAKERS = (
    *("zeros", "ones", "empty", "full"),
    *("zeros_like", "ones_like", "empty_like", "full_like"),
)
CONVERTERS = ("asarray", "asanyarray", "array", "ascontiguousarray", "asfortranarray")
KEEPING: tuple[Any, ...] = (np.asarray, np.asanyarray)  # which give an array back as it is
HANDLE_CLASSES = (tape.HANDLE_OF, duals.HANDLE_OF, lanes.ARRAY_OF, lanes.NUMBER_OF)


def namespace_over(library: ArrayLibrary) -> NamesOfNumPy:
    """The namespace over arrays of a library; if a rule may write to these, those that it makes
    take traced values.
    """
    own = library.namespace

    def found(function: Function, other: Function) -> Function:
        if other is function:
            return function
        return with_ufunc_methods(of_either, function, other)

    namespace = numpy_beside(own, found)
    for name in CONVERTERS:
        convert = getattr(np, name)
        setattr(namespace, name, converting(convert, getattr(own, name, convert)))
    vars(namespace)["take"] = taking(namespace.take)
    if library.mutable:
        for name in MAKERS:
            setattr(namespace, name, fillable(getattr(namespace, name)))
    return namespace


def of_either(function: Function, own: Function) -> Function:
    """A function of NumPy's where an argument is traced, and the one of the library beneath where
    none is.
    """
    operation = as_operation(function)

    @wraps(function)
    def call_either(*args, **options):
        given = (*args, *options.values())
        if innermost(given) is None and STORED.isdisjoint(map(type, leaves_of(given))):
            return own(*map(taken_in, args), **options)
        return operation(*args, **options)

    return call_either


def as_operation(function: Function) -> Function:
    """A function of NumPy's that the level of the traced argument computes.

    NumPy finds that by its protocols, but for products with arrays of CuPy's: those are asked
    first, and answer by themselves.
    """
    if isinstance(function, np.ufunc) and function.signature is not None:
        return lambda *args, **options: call_traced(function, args, options)
    return function


def fillable(make: Function) -> Function:
    """A function that makes arrays, which take traced values."""

    @wraps(make)
    def maker(*args, **options):
        return as_buffer(make(*args, **options))

    return maker


def converting(convert: Function, own: Function) -> Function:
    """`asarray` and the like, which NumPy does not hand over: of a traced value, an operation."""

    @wraps(convert)
    def converter(value, dtype: Any = None, **layout) -> Any:
        if isinstance(value, TracedArray):
            return converted_traced(convert, value, dtype, layout)
        if innermost((value,)) is None:
            return own(value, dtype=dtype, **layout)
        return np.stack([converter(part) for part in value])

    return converter


def converted_traced(convert: Function, value, dtype, layout: dict[str, Any]) -> Any:
    """A traced value as an array of this dtype and layout."""
    options = {
        name: option for name, option in layout.items() if option is not None or name == "copy"
    }
    gives_back = convert in KEEPING and not any(options.values())
    if not gives_back:
        given = options if dtype is None else {"dtype": dtype, **options}
        return value.__array_function__(convert, (), (value,), given)
    return (
        value
        if dtype is None or value.dtype == dtype
        else call_traced(np.astype, (value, dtype), {})
    )


def taking(take: Function) -> Function:
    """`take` for positions that differ from lane to lane: NumPy asks the array alone who computes."""

    @wraps(take)
    def taken(a, indices, *args, **options):
        if isinstance(indices, TracedArray):
            return call_traced(np.take, (a, indices, *args), options)
        return take(a, indices, *args, **options)

    return taken


# Libraries of traced values


def operation_of(primal) -> Function | None:
    """A function that does not hand over calls with traced values, as an operation.

    None for all others. These functions take plain values only, or NumPy does not intercept them.
    """
    if not (takes_plain_values_only(primal) or is_out_of_reach(primal)):
        return None
    return lambda *args, **options: call_traced(primal, args, options)


def stored_zeros(library: ArrayLibrary, shape: tuple[int, ...], dtype) -> Any:
    """Zeros that take traced values, each at the cost of what is written."""
    return as_buffer(library.namespace.zeros(shape, dtype))


class TracedLibraries:
    """The libraries of traced values, by the name of the library beneath, of all that joined."""

    def __init__(self) -> None:
        self.over: dict[str, ArrayLibrary] = {}
        self.followed: dict[str, ArrayLibrary] = {}
        numpy_library()  # joins, if it has not yet
        on_register(self.follow)
        self.follow()

    def follow(self) -> None:
        """Let traced values join over each library that is new, or has joined again."""
        ours = set(self.over.values())
        for library in libraries():
            is_ours = library in ours or library.name.startswith("series")
            if not is_ours and self.followed.get(library.name) is not library:
                self.followed[library.name] = library
                self.join_over(library)

    def join_over(self, library: ArrayLibrary) -> None:
        """Let traced values over arrays of a library join."""
        for classes in (*HANDLE_CLASSES, series.HANDLE_OF):
            classes.clear()  # some class may belong to this library now

        def beside(other: ArrayLibrary) -> ArrayLibrary:
            """The library where these values meet arrays of another library."""
            beneath = max(library, other, key=operator.attrgetter("priority"))
            return self.over.get(beneath.name, made)

        made = self.over[library.name] = traced_over(library).replaced(beside=beside)
        register_library(made)
        register_library(series_over(library))


def traced_over(library: ArrayLibrary) -> ArrayLibrary:
    """The library of traced values over the arrays of a library, and of traced numbers where it
    has numbers.
    """
    name = library.name
    is_numpy = library is numpy_library()
    has_numpys_memory = is_numpy or library.stands_for is not None
    handles = [classes.over(name) for classes in HANDLE_CLASSES]
    if is_numpy or library.number_types:
        handles += [classes.made_over(name, classes.number) for classes in HANDLE_CLASSES]
    if is_numpy:
        handles += [classes.subclassed for classes in HANDLE_CLASSES if classes.subclassed]
    stored = STORED if is_numpy else () if has_numpys_memory else (STORED.over(name),)
    return ArrayLibrary(
        name="tape" if is_numpy else f"tape over {name}",
        namespace=namespace_over(library),
        array_types=(*handles, *stored),
        mutable=False,
        priority=PRIORITY + library.priority,
        implementations=operation_of,
        buffer_types=tuple(STORED) if has_numpys_memory else (),
        make_buffer=partial(stored_zeros, library) if has_numpys_memory else None,
        in_bodies=namespace_over(library.replaced(mutable=False)),
    )


def series_over(library: ArrayLibrary) -> ArrayLibrary:
    """The library of power series over arrays of a library, which no rule writes to."""
    handles = series.HANDLE_OF
    is_numpy = library is numpy_library()
    numpys = handles.array, handles.number, handles.subclassed
    array_types = numpys if is_numpy else (handles.over(library.name),)
    return ArrayLibrary(
        name="series" if is_numpy else f"series over {library.name}",
        namespace=namespace_over(library.replaced(mutable=False)),
        array_types=array_types,
        mutable=False,
        priority=PRIORITY + 1 + library.priority,
        implementations=operation_of,
        buffer_types=tuple(STORED) if library.mutable else (),
    )


traced_libraries = TracedLibraries()
