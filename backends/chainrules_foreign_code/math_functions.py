"""`math` and `cmath` for traced numbers, by the rules that the table has for their functions.

Plain numbers go to Python's.
"""

import cmath
import functools
import math
import re
from collections.abc import Iterable
from types import BuiltinFunctionType, FrameType, ModuleType
from typing import Any

import numpy

from chainrules_foreign_code.conversions import own_answer
from chainrules_foreign_code.lanes import check_each, require_no_lanes
from chainrules_foreign_code.steps import note_quotient, whole_number
from chainrules_py.annotations import Args, Function
from chainrules_py.table.registry import default_rules
from chainrules_py.values.arrays import call_on_numbers
from chainrules_py.values.identity import existing
from chainrules_py.values.python_numbers import (
    function_of_math,
    in_pythons_form,
    is_pythons,
)
from chainrules_tape.arrays.numbers import NUMBERS, operation_of_numbers
from chainrules_tape.core.dispatch import as_operand
from chainrules_tape.core.levels import call_traced, innermost, open_levels
from chainrules_tape.refusals.code_owners import calling_frame
from chainrules_tape.refusals.handles import TracedArray, plain
from chainrules_tape.refusals.instrumented_packages import stood_for, with_traced

# Functions without derivative: they are called with the plain number.
_CONSTANT = {
    *(math.isnan, math.isinf, math.isfinite, math.isclose),
    *(cmath.isnan, cmath.isinf, cmath.isfinite, cmath.isclose),
    *(math.gcd, math.lcm, math.ulp),
}
# The signature, as C writes it down, of a function of one argument, by position.
_OF_ONE = re.compile(r"\(\$module, \w+, /\)")
_WHOLE = frozenset({math.ceil, math.floor, math.trunc})
_PRODUCTS = existing(math, "sumprod")  # from Python 3.12 on
# Of `math`, those that take complex numbers.
_OF_ANY_NUMBERS = {math.prod, *_PRODUCTS}
_SEQUENCES = {math.fsum, math.prod, math.dist, *_PRODUCTS}
_TRIGONOMETRIC = ("sin", "cos", "tan", "sinh", "cosh", "tanh")
_OF_ANY_COUNT: dict[Any, numpy.ufunc] = {math.log: numpy.log, math.hypot: numpy.hypot}
_PLAIN = frozenset({float, int})
# For each function of `cmath`, one of NumPy's functions that computes it.
_COMPLEX: dict[Any, Function] = {
    **{
        getattr(cmath, name): getattr(numpy, name)
        for name in ("exp", "log10", "sqrt", *_TRIGONOMETRIC)
    },
    **{getattr(cmath, f"a{name}"): getattr(numpy, f"arc{name}") for name in _TRIGONOMETRIC},
    cmath.log: lambda z, *base: numpy.log(z) / numpy.log(base[0] + 0j) if base else numpy.log(z),
    cmath.phase: numpy.angle,
    cmath.polar: lambda z: (numpy.abs(z), numpy.angle(z)),
}


def module_of_numbers(module: ModuleType) -> ModuleType:
    """`math` or `cmath` with each of its functions made to take traced numbers.

    >>> from chainrules_tape import grad
    >>> grad(module_of_numbers(math).exp)(0.0)
    1.0
    """
    made = ModuleType(module.__name__, module.__doc__)
    vars(made).update(vars(module))
    for name, function in vars(module).copy().items():
        if isinstance(function, BuiltinFunctionType) and not name.startswith("__"):
            setattr(made, name, of_numbers(function))
    return made


def of_numbers(function: Function) -> Function:
    """A function of plain numbers, for traced ones, too."""
    own = own_derivative(function)
    derivative = by_rule(function) if own is None else own
    if function.__module__ == "math" and function not in _OF_ANY_NUMBERS:
        derivative = of_reals(derivative)
    is_of_one = function not in _SEQUENCES and takes_one(function)
    made = of_one(function, derivative) if is_of_one else of_any(function, derivative)
    return functools.update_wrapper(made, function)


# Calls with plain numbers pass through these, too. To be quick, one takes an argument where the
# function does, and no ``*args``.


def of_one(function: Function, derivative) -> Function:
    """A function of one number, and what computes it for a traced one."""

    def function_of_one(x, /):
        if not open_levels or type(x) is float:
            return function(x)
        if type(x) in NUMBERS:  # nearly all traced numbers
            run = of_single_numbers(function, 1)
            if run is not None:
                return run(x)
        x = own_answer(stood_for(x), "__float__")
        return in_pythons_form(derivative(x)) if innermost((x,)) is not None else function(x)

    return function_of_one


def of_any(function: Function, derivative) -> Function:
    """A function of any arguments, and what computes it for traced ones."""

    def function_of_any(*args, **options):
        if not open_levels:
            return function(*args, **options)
        others = set(map(type, args)) - _PLAIN
        if not (others or options):
            return function(*args)
        if not options and NUMBERS.issuperset(others):  # traced numbers, or such and Python's
            run = of_single_numbers(function, len(args))
            if run is not None:
                return run(*args)
        if function in _SEQUENCES:
            args = tuple(map(read_again, args))
        args = tuple(map(with_traced, args))
        if innermost((*args, *options.values())) is None:
            return function(*args, **options)
        return in_pythons_form(derivative(*args, **options))

    return function_of_any


def of_reals(derivative: Function) -> Function:
    """A function of traced numbers which raises for complex ones, as Python's does.

    NumPy's numbers and arrays would be taken for their real part, or for what NumPy's function of
    the same name gives for complex numbers.
    """

    def of_real_numbers(*args, **options):
        for arg in args:
            parts = arg if isinstance(arg, list | tuple) else (arg,)
            if any(map(is_complex, parts)):
                raise TypeError("must be real number, not complex")
        return derivative(*args, **options)

    return of_real_numbers


def is_complex(x) -> bool:
    """Whether a value, which may be traced, is complex."""
    return isinstance(x, complex) or getattr(getattr(x, "dtype", None), "kind", "") == "c"


def read_again(x):
    """An argument that can be read more than once: a list for an iterator."""
    is_iterator = isinstance(x, Iterable) and not hasattr(type(x), "__len__")
    return list(x) if is_iterator else x


def takes_one(function: Function) -> bool:
    """Whether a function takes one argument, by position.

    >>> takes_one(math.sin), takes_one(math.log), takes_one(math.hypot)
    (True, False, False)
    """
    # `inspect` reads the same text, and takes a tenth of a first scope for that
    text = getattr(function, "__text_signature__", None) or ""
    return _OF_ONE.fullmatch(text) is not None


def own_derivative(function) -> Function | None:
    """The function that computes one of `math` or `cmath` for traced numbers; None where that has a
    rule.
    """
    if function in _CONSTANT:
        return constant_function(function)
    if function in _WHOLE:
        return lambda x: whole_number(function, x, calling_frame(), f"math.{function.__name__}(x)")
    if function in _COMPLEX:
        return lambda z, *more: _COMPLEX[function](number(z) + 0j, *map(number, more))
    if function is cmath.rect:
        return lambda r, phi: r * (numpy.cos(phi) + 1j * numpy.sin(phi))
    if function is math.hypot:
        return length
    if function in _PRODUCTS:
        return lambda p, q: numpy.dot(as_operand(list(p)), as_operand(list(q)))
    if function is math.log:
        return logarithm
    if function is math.remainder:
        return lambda x, y: remainder(number(x), number(y), calling_frame())
    return None


def by_rule(function) -> Function:
    """The function that computes one of `math` for traced numbers by its rule."""

    def computed_by_rule(*args, **options):
        if function not in _SEQUENCES:
            args = tuple(map(number, args))
        ufunc = primal_of(function, len(args))
        if are_of_python(ufunc, args):
            return by_python(function, ufunc, *args)
        if function not in _SEQUENCES:
            # raises where `math` does, and NumPy would give nan
            check_each(function, *args, **options)
        return (
            ufunc(*args) if isinstance(ufunc, numpy.ufunc) else call_traced(function, args, options)
        )

    return computed_by_rule


def are_of_python(ufunc, args: Args) -> bool:
    """Whether a ufunc is called with numbers of Python's, traced or not."""
    is_called = isinstance(ufunc, numpy.ufunc) and len(args) == ufunc.nin
    return is_called and all(is_pythons(type(x)) for x in args)


def by_python(function: Function, ufunc, *args) -> Any:
    """A function of `math` of traced numbers of Python's, with the value that Python gives it."""
    run = None if NUMBERS.isdisjoint(map(type, args)) else of_single_numbers(function, len(args))
    if run is not None:
        return run(*args)
    return generally_by_python(function, ufunc, *args)


def generally_by_python(function: Function, ufunc, *args) -> Any:
    """A function of `math` of traced numbers of any level."""
    traced = next(x for x in args if issubclass(type(x), TracedArray))
    primal = function_of_math(function, ufunc)
    return in_pythons_form(traced.__array_ufunc__(primal, "__call__", *args))


@functools.cache
def of_single_numbers(function: Function, count: int) -> Function | None:
    """A function of `math` of so many numbers that are traced on a tape or forward; None where these
    take the general path.
    """
    ufunc = _OF_ANY_COUNT.get(function)
    if ufunc is None and own_derivative(function) is None:
        ufunc = primal_of(function, count)
    if not isinstance(ufunc, numpy.ufunc) or ufunc.nin != count:
        return None
    general = functools.partial(generally_by_python, function, ufunc)
    generals = {"reverse": general, "forward": general}
    of_traced = functools.partial(by_python, function, ufunc)
    return operation_of_numbers(function, generals, ufunc, of_traced)


def constant_function(function: Function) -> Function:
    """A function without derivative, called with plain numbers."""

    def of_plain(*args, **options):
        require_no_lanes(function, *args, *options.values())
        named = {name: plain(option) for name, option in options.items()}
        found = call_on_numbers(function, *map(plain, args), **named)
        return bool(found) if isinstance(found, bool) else found  # a recorded one is asked

    return of_plain


@functools.cache
def primal_of(function, count: int) -> Any:
    """The function that has the rule for one of `math`, called with so many numbers."""
    return default_rules.canonical(function, (numpy.float64(1.0),) * count, {})[0]


def logarithm(x, *base) -> Any:
    """``math.log(x)``, or ``math.log(x, base)``."""
    y, *of_base = map(natural_logarithm, (x, *base))
    return y / of_base[0] if base else y


def natural_logarithm(x) -> Any:
    """``math.log(x)`` of a number, traced or not."""
    if innermost((x,)) is None:
        return math.log(x)
    if is_pythons(type(x)):
        return by_python(math.log, numpy.log, x)
    check_each(math.log, x)  # raises where NumPy would give nan
    return numpy.log(number(x))


def length(*args) -> Any:
    """``math.hypot`` of any count of numbers."""
    if are_of_python(numpy.hypot, args):
        return by_python(math.hypot, numpy.hypot, *args)
    return functools.reduce(numpy.hypot, map(number, args), 0.0)


def remainder(x, step, frame: FrameType) -> Any:
    """``math.remainder(x, step)``, which has steps as ``x % step`` has."""
    check_each(math.remainder, x, step)
    note_quotient(x, step, (x,), frame, "math.remainder(x, c)")
    return call_traced(math.remainder, (x, step), {})


def number(x) -> Any:
    """A traced array without axes as a number, as `math` takes an array of one entry for one."""
    is_array = isinstance(x, TracedArray) and not x.is_number
    array: Any = x
    return array[()] if is_array and array.shape == () else array
