"""Other names of NumPy's functions: operators, `math`, methods of `ndarray`, synonyms.

An alias is the same function under another name, so it has no rule of its own. Where its parameters
come in another order or packing, an adapter rewrites the call.
"""

import math
import operator
from typing import Any

import numpy as np

from chainrules_numpy.call_forms import Call, register_call_forms
from chainrules_py.annotations import Options
from chainrules_py.calls.method_names import METHODS, RARER_METHODS
from chainrules_py.table.registry import RuleTable, default_rules
from chainrules_py.values.operators import BINARY, BITWISE, COMPARISONS, UNARY

OPERATORS = BINARY | COMPARISONS | UNARY | BITWISE | {"invert": np.invert}

# of `math`, those that take another number of arguments than NumPy's function of that name, or mean
# something else
MATH_DIFFERENT = ("log", "hypot", "prod", "isclose", "remainder")
MATH = {
    getattr(math, name): getattr(np, name)
    for name in dir(math)
    if not name.startswith("_") and callable(getattr(np, name, None)) and name not in MATH_DIFFERENT
}


def swapped(x1, x2, **options) -> Call:
    """``x1.__radd__(x2)`` is ``x2 + x1``."""
    return (x2, x1), options


def mask_first(a, condition, *axis, **options) -> Call:
    """``a.compress(mask, 0)`` is ``compress(mask, a, axis=0)``."""
    by_name = dict(zip(("axis", "out"), axis, strict=False))
    return (condition, a), {**by_name, **options}


def without_memory(a, memo) -> Call:
    """``copy.deepcopy(a)`` passes what it has copied already."""
    return (a,), {}


def packed_shape(a, *shape, **options) -> Call:
    """``a.reshape(2, 3)`` is ``reshape(a, (2, 3))``."""
    if not shape:
        return (a,), options
    return (a,), {"shape": shape[0] if len(shape) == 1 else shape, **options}


def packed_axes(a, *axes) -> Call:
    """``a.transpose(1, 0)`` is ``transpose(a, (1, 0))``."""
    if not axes:
        return (a,), {}
    return (a,), {"axes": axes[0] if len(axes) == 1 else axes}


def of_numbers(x1, x2) -> Call:
    """``operator.iadd(x1, x2)`` of numbers is their sum; an array is written to."""
    if getattr(x1, "ndim", 0):
        raise TypeError(
            "an operator of `operator` that works in place got an array, which it would write to;"
            " write operator.add(x, y), or the sign's other name, for a new one"
        )
    return (x1, x2), {}


def power(x1, x2, *modulus) -> Call:
    """``pow(x1, x2)``; with a modulus it is a function of integers."""
    if modulus:
        raise TypeError(
            "pow(x, y, modulus) is of integers, which have no derivative; write pow(x, y) % modulus"
            " for that of real numbers"
        )
    return (x1, x2), {}


def entry(a, *index) -> Call:
    """``a.item()``, ``a.item(3)`` in flat order, or ``a.item(1, 2)``, read as ``a[index]``."""
    (place,) = index if len(index) == 1 else (index,)
    if not index and a.size != 1:
        raise ValueError(f"ndarray.item of an array of shape {a.shape}; name an entry, a.item(0)")
    if not isinstance(place, tuple):
        place = tuple(map(int, np.unravel_index(range(a.size)[place], a.shape)))
    return (a, place or (0,) * a.ndim), {}


# Python's own functions
PYTHONS = {abs: np.absolute, divmod: np.divmod}


def register_aliases(table: RuleTable) -> None:
    """Declare the other names of NumPy's functions in a table."""
    register_operators(table)
    for function, primal in (PYTHONS | MATH).items():
        table.alias(function, primal)
    table.alias(pow, np.power, power)
    register_methods(table)
    register_ufunc_methods(table)


def register_operators(table: RuleTable) -> None:
    """Declare the functions of `operator` and the operators of arrays."""
    for name, primal in OPERATORS.items():
        table.alias(getattr(operator, f"__{name}__"), primal)
        table.alias(getattr(np.ndarray, f"__{name}__"), primal)
    for name, primal in (BINARY | BITWISE).items():
        if primal is not np.matmul:  # which is not of numbers
            table.alias(getattr(operator, f"__i{name}__"), primal, of_numbers)

    for name, primal in BINARY.items():
        table.alias(getattr(np.ndarray, f"__r{name}__"), primal, swapped)

    table.alias(np.ndarray.__getitem__, operator.getitem)
    table.alias(np.ndarray.__divmod__, np.divmod)
    table.alias(np.ndarray.__rdivmod__, np.divmod, swapped)


def register_methods(table: RuleTable) -> None:
    """Declare the methods of arrays that NumPy has as functions."""
    for name in (*METHODS, *RARER_METHODS):
        method = getattr(np.ndarray, name, None)
        primal = getattr(np, name, None)
        if method is not None and primal is not None:
            table.alias(method, primal)

    table.alias(np.ndarray.flatten, np.ravel)
    table.alias(np.ndarray.__copy__, np.copy)
    table.alias(np.ndarray.__deepcopy__, np.copy, without_memory)
    table.alias(np.ndarray.item, operator.getitem, entry, reads_shapes=True)
    table.alias(np.ndarray.compress, np.compress, mask_first)
    table.alias(np.ndarray.reshape, np.reshape, packed_shape)
    table.alias(np.ndarray.transpose, np.transpose, packed_axes)


# --- The methods of ufuncs, in one form: NumPy before 2.4 does not tell their parameters ---

REDUCTIONS: dict[Any, Any] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
}
SCANS: dict[Any, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}
REDUCING: tuple[Any, ...] = (
    np.add,
    np.multiply,
    np.maximum,
    np.minimum,
    np.fmax,
    np.fmin,
    np.logaddexp,
    np.logaddexp2,
    np.hypot,
)


def register_ufunc_methods(table: RuleTable) -> None:
    """Declare `reduce`, `accumulate` and `reduceat`, of which some have other names."""
    for ufunc in REDUCING:
        table.alias(ufunc.reduce, REDUCTIONS.get(ufunc, ufunc.reduce), reduced_over_first_axis)
        table.alias(ufunc.reduceat, ufunc.reduceat, reduced_over_stretches)
    for ufunc in (*REDUCING, np.subtract, np.divide):
        table.alias(
            ufunc.accumulate, SCANS.get(ufunc, ufunc.accumulate), accumulated_along_first_axis
        )


def by_name(names: str, positional: tuple[Any, ...], options: Options) -> dict[str, Any]:
    """Return all options by keyword, with axis 0 as the default, and None left out."""
    if len(positional) > len(names.split()):
        raise TypeError(
            f"a method of a ufunc got {len(positional)} options by position; there are {names}:"
            " give them by name"
        )
    given: dict[str, Any] = {
        "axis": 0,
        **dict(zip(names.split(), positional, strict=False)),
        **options,
    }
    return {
        name: value
        for name, value in given.items()
        if value is not None or name not in ("dtype", "out")
    }


def reduced_over_first_axis(array, *positional, **options) -> Call:
    """Rewrite ``ufunc.reduce``, whose default axis is 0 where the function's is None."""
    return (array,), by_name("axis dtype out keepdims initial where", positional, options)


def accumulated_along_first_axis(array, *positional, **options) -> Call:
    """Rewrite ``ufunc.accumulate``, whose default axis is 0, not None."""
    return (array,), by_name("axis dtype out", positional, options)


def reduced_over_stretches(array, indices, *positional, **options) -> Call:
    """``ufunc.reduceat`` reduces stretches of axis 0 where nobody says otherwise."""
    return (array, indices), by_name("axis dtype out", positional, options)


register_aliases(default_rules)
register_call_forms(default_rules)
