"""A module of NumPy with some of its functions made interceptable."""

import types
from collections.abc import Callable, Collection
from functools import update_wrapper
from importlib import import_module
from typing import Any

import numpy
from numpy import _CopyMode

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.rulesets.without_rules import reason_of
from chainrules_py.table.registry import default_rules
from chainrules_py.values.arrays import library_of_types, making
from chainrules_py.values.captured_values import closed
from chainrules_py.values.late_names import NamesOfNumPy, public_names
from chainrules_tape.arrays.arrays_of_numbers import array_of_list
from chainrules_tape.arrays.zero_dimensional import array_of_number
from chainrules_tape.core.levels import call_traced, innermost, open_levels
from chainrules_tape.in_place.known_layouts import memory_of
from chainrules_tape.in_place.storages import STORED, as_buffer
from chainrules_tape.numpy.lists import taking_lists
from chainrules_tape.numpy.other_libraries import answering, answering_ufunc, is_scipys
from chainrules_tape.numpy.vectorizing import vectorize
from chainrules_tape.refusals.errors import LostGradientError
from chainrules_tape.refusals.handles import HANDLES, TracedArray
from chainrules_tape.refusals.instrumented_packages import array_of_object, foreign_code

_FUNCTION = type(numpy.sum)  # these hand traced values over by themselves, but not lists of them
_KEEPING = (numpy.asarray, numpy.asanyarray)  # which give an array back as it is
# These give an array back, or a view of it, and do not hand over calls with one.
_CONVERTERS = (*_KEEPING, numpy.array, numpy.ascontiguousarray, numpy.asfortranarray)
_DOUBLE = frozenset({float, numpy.float64})
_ORDERS = {"C": "C_CONTIGUOUS", "F": "F_CONTIGUOUS"}
# How `array_api_compat` asks for a copy, in the words of NumPy 1.
_COPIES = {_CopyMode.ALWAYS: True, _CopyMode.NEVER: False, _CopyMode.IF_NEEDED: None}
# These look at some arguments only: not at the value to fill with, not at a default, not into a
# list of numbers or a range.
_SOMETIMES = {
    *(numpy.full_like, numpy.fill_diagonal, numpy.select, numpy.polyval),
    *(numpy.histogram, numpy.histogram_bin_edges, numpy.histogram2d, numpy.histogramdd),
}


def interceptable(function) -> Any:
    """A function that hands calls with traced values to the tape, even if NumPy did not mean it to.

    >>> import numpy as np
    >>> from chainrules_tape import grad
    >>> polyval = interceptable(np.polynomial.polynomial.polyval)
    >>> grad(lambda x: polyval(x, np.array([1.0, 0.0, 5.0])))(2.0)
    20.0
    """
    if isinstance(function, numpy.vectorize):
        return vectorize.like(function)

    keeps, gives_views = function in _KEEPING, function in _CONVERTERS
    of_scipy = is_scipys(function)
    otherwise = answering(function) if of_scipy else None

    def intercepted(*args, **options):
        if not open_levels and not (gives_views and args and type(args[0]) in STORED):
            if otherwise is not None:
                return otherwise(*args, **options)
            return function(*args, **options) if options else function(*args)
        # overwrite_a=True allows to write into an array, and asks for nothing
        if of_scipy and options:
            options = {
                name: value for name, value in options.items() if not name.startswith("overwrite_")
            }
        if "copy" in options:
            options = with_plain_copy(options)
        x: Any = args[0] if args else None
        if type(x) in HANDLES or type(x) in STORED:
            if not keeps:
                return x.__array_function__(function, (), args, options)
            if type(x.value) is numpy.float64 and len(args) == 1 and not options:
                return array_of_number(x)
            if x.has_attributes and function is numpy.asarray:
                args = x.view(numpy.ndarray), *args[1:]
            return kept(function, *args, **options)
        if type(x) is list and function is numpy.array and len(args) == 1 and not options:
            of_numbers = array_of_list(x)
            if of_numbers is not None:
                return of_numbers
        x = array_of_object(x)
        if making.call is not None and gives_views and type(x) in (list, tuple):
            of_list = of_recorded_list(function, (x, *args[1:]), options)
            if of_list is not None:
                return of_list
        if keeps and issubclass(type(x), TracedArray):
            return kept(function, x, *args[1:], **options)
        if otherwise is not None:
            return otherwise(*args, **options)
        return call_traced(function, (x, *args[1:]) if args else args, options)

    made: Any = update_wrapper(intercepted, function)
    # by which the table takes it for the function: a scope puts it where rules call that by name
    made.__chainrules_primal__ = function
    return made


def of_recorded_list(function, args: Args, options: Options) -> Any:
    """The array of a list with values of a recording, in buffers, too; None of any other list."""
    if innermost(args[:1]) is not None:
        return None
    entries: list[Any] = []
    x = with_entries(args[0], entries)
    library = library_of_types(map(type, entries))
    if library.stands_for is None:
        return None
    return library.implementation(function)(x, *args[1:], **options)


def with_entries(x, entries: list[Any]) -> Any:
    """A list with what buffers in it hold now; its entries are added to a list."""
    if type(x) in (list, tuple):
        return [with_entries(part, entries) for part in x]
    entries.append(x.resolved() if type(x) in STORED else x)
    return entries[-1]


def with_plain_copy(options: Options) -> dict[str, Any]:
    """Options of which `copy` is True, False or None."""
    copy = options.get("copy")
    return options | {"copy": _COPIES[copy]} if type(copy) is _CopyMode else options


def kept(
    function,
    x,
    dtype: Any = None,
    order: str | None = None,
    copy: bool | None = None,
    **like,
) -> Any:
    """A traced array as NumPy's `asarray` gives it: itself if possible, so that writes arrive.

    A traced number becomes an array without axes.
    """
    if x.is_number:
        if dtype is None and (type(x.value) in _DOUBLE or x.dtype == numpy.float64):
            return array_of_number(x)
    elif not copy and (dtype is None or numpy.dtype(dtype) == x.dtype) and has_order(x, order):
        return x
    given = {"dtype": dtype, "order": order, "copy": copy}
    options = {name: option for name, option in given.items() if option is not None}
    return as_buffer(x.__array_function__(function, (), (x,), options))


def has_order(x, order: str | None) -> bool:
    """Whether the memory of a traced array is in an order."""
    return order not in _ORDERS or bool(memory_of(x).flags[_ORDERS[order]])


def closing(function) -> Function:
    """An interceptable function of functions, whose closures may hold traced values."""

    called = answering(function)

    def intercepted(*args, **options):
        return called(*closed(args), **closed(options))

    return update_wrapper(intercepted, function)


def finding(make: Callable[[Any], Any]) -> Callable[[Any, str], Any]:
    """What stands in the place of the functions of a module: they are made interceptable."""

    def find(function, name: str) -> Any:
        found = made_interceptable(function, make)
        path = name if name.startswith("scipy.") else f"numpy.{name}"
        module, _, own = path.rpartition(".")
        reason = reason_of("no rule yet", module, own)
        is_function = isinstance(found, types.FunctionType | types.BuiltinFunctionType)
        has_source = is_function and hasattr(found, "__code__") and name.startswith("scipy.")
        if not is_function or found in default_rules or not (reason or has_source):
            return found
        return without_rule(found, path, reason, has_source)

    return find


def without_rule(function, name: str, reason: str | None, has_source: bool) -> Function:
    """A function without a rule: one of SciPy's that is written in Python runs by its own source.

    It says why where it cannot take traced values.
    """

    def call_without_rule(*args, **options) -> Any:
        if not open_levels:
            return function(*args, **options)
        if function in default_rules:  # somebody has written one since
            return interceptable(function)(*args, **options)
        # a function among them may hold traced values, too
        is_traced = innermost((*closed(args), *closed(options).values())) is not None
        try:
            if is_traced and has_source:
                return foreign_code[0]("run_by_source")(function, args, options)
            return function(*args, **options)
        except (LostGradientError, TypeError, ValueError, RuntimeError) as error:
            is_lost = isinstance(error, LostGradientError)
            if (
                not is_traced
                or reason is None
                or not (is_lost or runs_plain(function, args, options))
            ):
                raise
            got = "it has no rule, and was called with a traced value"
            raise LostGradientError(name, got, reason, operation=function, value=None) from error

    return takes_the_place_of(function)(call_without_rule)


def runs_plain(function, args: Args, options: Options) -> bool:
    """Whether a function takes these arguments where nothing in them is traced."""
    try:
        function(*ignore_derivatives(args), **ignore_derivatives(options))
    except Exception:  # of whoever called it so
        return False
    return True


def takes_the_place_of(function) -> Callable[[Function], Any]:
    """Decorate what takes the place of a function: a rule may be registered by either name."""

    def decorate(ours: Function) -> Any:
        made = update_wrapper(ours, function)
        default_rules.alias(made, function)
        return made

    return decorate


def stand_in(
    module: types.ModuleType,
    own: dict[str, Any],
    make: Callable[[Any], Any] = interceptable,
    more: tuple[str, ...] = (),
    modules: Collection[str] = (),
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` of a module in the place of another, given its globals.

    Completion offers the public names of that other one, and those in `more`, not what the module
    needs for itself. `modules` are those in it that are imported by their first use.
    """
    namespace = NamesOfNumPy(module, {}, finding(make))

    of_scipy = module.__name__.startswith("scipy")

    def find(name: str):
        if name in modules:
            return import_module(f"{own['__name__']}.{name}")
        found = getattr(namespace, name)
        if of_scipy and isinstance(found, numpy.ufunc) and found in default_rules:
            made = answering_ufunc(found)
            default_rules.alias(made, found)
            found = made
        own[name] = found  # the next look-up costs 0.05 us instead of 0.4
        return found

    return find, lambda: sorted(public_names(module).union(more, modules))


def made_interceptable(found, make: Callable[[Any], Any] = interceptable) -> Any:
    """The replacement of something in a module, where it cannot be intercepted otherwise."""
    if isinstance(found, types.ModuleType):
        return NamesOfNumPy(found, {}, finding(make))
    if not callable(found) or isinstance(found, type | numpy.ufunc) or found not in default_rules:
        return found
    in_python = not isinstance(found, _FUNCTION) or found in _SOMETIMES
    made = make(found) if in_python else taking_lists(found)
    if made is not found:
        # so that a rule may be asked for, or registered, by either name
        default_rules.alias(made, found)
    return made
