"""Calls in the code of functions that are seen through: ``float(x)``, ``int(x)``, ``np.abs([x,
y])``, ``a.dot(x)`` and others.

Python asks the class, so no handle can answer a call of `float`. Nor can the name `float` stand for
something else, because `float` is also what types are compared with and arrays are made of. So only
calls are changed: where the code of a function loads the name in order to call it, it loads another
function, and in all other places what it always did.

In the same way other functions are called for methods of plain arrays, which convert in C, for
ufuncs, which take no list of traced values (`ufuncs_of_lists`), for subclasses of `float`
(`float_classes`), for those classes and functions of Python's that look at the type of a number and
ask it nothing (`asking`), and for ``x.__array_namespace__()``, because code compares what it gives
with its own ``np``.
"""

from collections.abc import Callable
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy import float64, ndarray

import chainrules_tape.numpy
from chainrules_py.introspection import frame_above
from chainrules_py.introspection.called_code import Calls, calls_of, with_calls
from chainrules_tape.core.levels import call, innermost, open_levels
from chainrules_tape.core.zero_dimensional import number_of_array
from chainrules_tape.foreign_code.asking import ASKING, asking
from chainrules_tape.foreign_code.float_classes import new, of_float_class
from chainrules_tape.foreign_code.methods import astype, item, round_method, tolist, traced_number
from chainrules_tape.foreign_code.replacements import replacement
from chainrules_tape.foreign_code.rounding import as_round
from chainrules_tape.foreign_code.stand_in_modules import stand_in_module
from chainrules_tape.foreign_code.steps import whole_number
from chainrules_tape.foreign_code.ufuncs_of_lists import accumulate, of_lists, outer, reduce
from chainrules_tape.foreign_code.whole_numbers import WholeNumber
from chainrules_tape.refusals.errors import LostGradientError
from chainrules_tape.refusals.handles import HANDLES, TracedArray, plain
from chainrules_tape.refusals.instrumented_packages import arrays_of, stood_for


def as_float(x: Any = 0.0, /) -> Any:
    """The traced number itself, in the place of ``float(x)``."""
    if not open_levels or type(x) is float:
        return float(x)
    if type(x) in HANDLES:  # two answers that the general way gives as well, at four times the cost
        value = x.value
        if type(value) is float64:
            return x
        if type(value) is ndarray and value.dtype is _DOUBLE and not value.ndim:
            return number_of_array(x)
    x = own_answer(stood_for(x), "__float__")
    if isinstance(x, str) and is_text_of_traced(x):
        raise LostGradientError(
            "float(text)",
            f"the text of a traced number, {x!r}",
            "convert the number",
            operation=float,
            value=x,
        )
    if not issubclass(type(x), TracedArray):
        return float(x)
    float(plain(x))  # raises where NumPy does
    return traced_number(x, float)


def as_int(*args: Any, **options: Any) -> Any:
    """The integer part of a traced number, which is constant but for its steps."""
    if not open_levels or type(args[0] if args else None) is float:
        return int(*args, **options)
    if len(args) != 1 or options:
        return int(*map(plain, args), **options)
    x: Any = args[0] if type(args[0]) is WholeNumber else stood_for(args[0])
    if issubclass(type(x), TracedArray):
        return whole_number(int, x, frame_above(1), "int(x)")
    return x if type(x) is WholeNumber else int(x)


def as_complex(*args: Any, **options: Any) -> Any:
    """The traced number itself as a complex one, in the place of ``complex(x)``."""
    if open_levels:
        args, options = (
            tuple(map(stood_for, args)),
            {name: stood_for(part) for name, part in options.items()},
        )
    parts = (*args, *options.values())
    if not open_levels or not any(issubclass(type(part), TracedArray) for part in parts):
        return complex(*args, **options)
    complex(*map(plain, args), **{name: plain(part) for name, part in options.items()})
    if len(parts) == 1 and not options:
        return traced_number(parts[0], complex)
    real, imag = (
        args[0] if args else options.get("real", 0.0),
        (args[1] if len(args) > 1 else options.get("imag", 0.0)),
    )
    return real + 1j * imag


def as_type(x: Any, /, *bases: Any, **options: Any) -> Any:
    """The class of the value that is traced, in the place of ``type(x)``; or a new class."""
    if bases or options:
        return type(x, *bases, **options)
    cls = type(x)
    return (
        x.__class__ if open_levels and (cls in arrays_of or issubclass(cls, TracedArray)) else cls
    )


def as_map(function: Any, *sequences: Any) -> Any:
    """``map(f, ...)``, which may be asked to convert each of its values."""
    return map(CONVERTING.get(id(function), function), *sequences)


def as_iterator(x: Any, *sentinel: Any) -> Any:
    """``iter(x)``, which a number refuses at once."""
    if not sentinel and issubclass(type(x), TracedArray) and x.is_number:
        raise TypeError(f"{x.__class__.__name__!r} object is not iterable")
    return iter(x, *sentinel)


def of_class(cls: type) -> Callable[..., Any]:
    """``numpy.float64(x)`` or the like for a traced value, which becomes one of this precision."""

    def as_number(*args: Any) -> Any:
        args = tuple(map(stood_for, args)) if open_levels else args
        if not open_levels or len(args) != 1 or innermost(args) is None:
            return cls(*args)
        x = call(np.asarray, args, {})
        y = x if x.dtype == cls else x.astype(cls)
        return y if y.ndim else traced_number(y, cls)

    return as_number


def of_integer_class(cls: type) -> Callable[..., Any]:
    """``numpy.int64(x)`` or the like for a traced number."""

    def as_integer(*args: Any) -> Any:
        if (
            not open_levels
            or len(args) != 1
            or not issubclass(type(args[0]), TracedArray)
            or np.size(args[0]) != 1
        ):
            return cls(*args)
        found = whole_number(int, args[0], frame_above(1), f"numpy.{cls.__name__}(x)")
        return found if type(found) is WholeNumber else cls(found)

    return as_integer


def dot(a: Any, *args: Any, **options: Any) -> Any:
    """``a.dot(x)``, where `a` may be a plain array and `x` a traced one; of any other object its
    own method.
    """
    if (
        open_levels
        and args
        and issubclass(type(args[0]), TracedArray)
        and isinstance(a, np.ndarray)
    ):
        return np.dot(a, *args, **options)
    return a.dot(*args, **options)


def array_namespace(x: Any, *args: Any, **options: Any) -> Any:
    """What stands in the place of the namespace that an array names, so that it is the one which
    the module's own code has.
    """
    return replacement(x.__array_namespace__(*args, **options))


def own_answer(x: Any, name: str) -> Any:
    """What an object that is written in Python answers when it is to be converted; any other as it
    is.
    """
    method = getattr(type(x), name, None)
    return (
        method(x)
        if isinstance(method, FunctionType) and not issubclass(type(x), TracedArray)
        else x
    )


def is_text_of_traced(text: str) -> bool:
    """Whether a text shows a traced number, of which it holds the value alone."""
    return any(cls.__name__ in text for cls in HANDLES)


_DOUBLE = np.dtype(float)
CALLED: dict[Any, Any] = {
    float: as_float,
    int: as_int,
    complex: as_complex,
    type: as_type,
    map: as_map,
    iter: as_iterator,
    round: as_round,
}
METHODS: dict[str, Any] = {
    "__array_namespace__": array_namespace,
    "__new__": new,
    "accumulate": accumulate,
    "astype": astype,
    "dot": dot,
    "item": item,
    "outer": outer,
    "reduce": reduce,
    "round": round_method,
    "tolist": tolist,
}
_BUILTINS = {called.__name__: called for called in CALLED}
NUMBERS: dict[str, Any] = {
    name: of_class(getattr(np, name)) for name in ("float64", "float32", "complex128", "double")
}
NUMBERS |= {
    name: of_integer_class(getattr(np, name)) for name in ("int64", "int32", "int_", "intp")
}
CONVERTING = {id(found): stand_in for found, stand_in in CALLED.items()}
CONVERTING |= {id(getattr(np, name)): stand_in for name, stand_in in NUMBERS.items()}


def with_conversions(code: CodeType, namespace: dict[str, Any]) -> CodeType:
    """The code with calls of conversions replaced, in the functions inside it, too; the code itself
    where there are none.
    """
    return with_calls(code, calls_in(namespace))


def calls_in(namespace: dict[str, Any]) -> Calls:
    """Which calls are replaced in the code of functions that have these globals: not of names that
    stand for something else.
    """
    numpys = {id(module) for module in (np, chainrules_tape.numpy, stand_in_module("numpy"))}
    functions: dict[str, Any] = {}
    in_modules: dict[str, dict[str, Any]] = {}
    for name, found in {**_BUILTINS, **namespace}.items():
        if id(found) in numpys:
            in_modules[name] = called_of_module(np)
        elif type(found) is ModuleType and found.__name__ in ASKING:
            in_modules[name] = called_of_module(found)
        elif (stand_in := called_instead(found)) is not None:
            functions[name] = stand_in
    return calls_of(functions, in_modules, METHODS)


def called_instead(found: Any) -> Any:
    """What is called where a name stands for a conversion, a ufunc, or a class of numbers; None
    where it stays.
    """
    kind = type(found)
    if issubclass(kind, np.ufunc):
        return of_lists(found)
    if kind is type and issubclass(found, float) and id(found) not in CONVERTING:
        return of_float_class(found)
    return CONVERTING.get(id(found)) or asking(found)


@cache
def called_of_module(module: Any) -> dict[str, Any]:
    """What is called in the place of functions and classes of a module, by their names in it."""
    stand_ins = {name: called_instead(found) for name, found in vars(module).items()}
    return {name: stand_in for name, stand_in in stand_ins.items() if stand_in is not None}
