"""Rules of Python's own functions on Python's own numbers: the value is Python's.

``operator.mul``, ``math.sqrt``, ``cmath.exp`` and their like are other names of NumPy's ufuncs, and have their
derivatives. Of NumPy the value would be another one: an integer wraps around, a division by zero
is an infinity, the root of a negative number nan.
"""

import builtins
import cmath
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_py.annotations import Function
from chainrules_py.rules.rule import Mode
from chainrules_py.tangents import NO_TANGENT, ZERO
from chainrules_py.values.python_numbers import NUMBERS

Run = Function

_OF_OPERATOR = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "pos", "abs"),
    *("lt", "le", "gt", "ge", "eq", "ne", "invert", "and_", "or_", "xor", "lshift", "rshift"),
)
_POWERS = frozenset({operator.pow, operator.ipow, pow})  # complex of a negative number
_IN_PLACE = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
OF_NUMBERS: frozenset[Any] = frozenset(
    {
        *[getattr(operator, name) for name in _OF_OPERATOR],
        *[getattr(operator, f"i{name}") for name in (*_IN_PLACE, "lshift", "rshift")],
        *[
            function
            for module in (math, cmath)
            for name, function in vars(module).items()
            if not name.startswith("_")
        ],
        *(builtins.abs, builtins.pow, builtins.divmod),
    }
)


def is_of_numbers(primal, types) -> bool:
    """Whether a call is one of Python's functions on its own numbers."""
    return primal in OF_NUMBERS and NUMBERS.issuperset(types)


def with_pythons_value(
    mode: Mode, primal, run: Run, resolve: Callable[[tuple[type, ...]], Run | None]
) -> Run:
    """What differentiates a call, with the value that Python's function has, or the error.

    `run` is the rule of NumPy's function for these classes of arguments; `resolve` finds that for
    others, because a power of floats may be complex. `ours` is the engine's config, where a rule
    wants it.
    """

    def differentiated(y, *args, **ours) -> Any:
        numbers = args[1:] if mode == "forward" else args
        used = run
        if primal in _POWERS and type(y) is complex and complex not in map(type, numbers):
            numbers = (complex(numbers[0]), *numbers[1:])
            used = resolve(tuple(map(type, numbers))) or run
        with np.errstate(all="ignore"):
            return used(*args[: len(args) - len(numbers)], *numbers, **ours)

    def reverse(*args, **ours):
        y = primal(*args)
        if type(y) in (int, bool):
            return y, lambda y_bar: tuple(map(zero_of, args))
        _, pullback = differentiated(y, *args, **ours)
        if type(y) is not complex:
            return y, pullback
        return y, lambda y_bar: tuple(map(real_of_real, pullback(y_bar), args))

    def forward(dots, *args, **ours):
        y = primal(*args)
        if type(y) in (int, bool):
            return y, NO_TANGENT
        return y, differentiated(y, dots, *args, **ours)[1]

    return forward if mode == "forward" else reverse


def zero_of(x):
    """The cotangent of an argument of which an integer was made."""
    return ZERO if type(x) in (float, complex) else NO_TANGENT


def real_of_real(x_bar, x):
    """A cotangent that is real where its argument is."""
    return x_bar.real if type(x) is float and isinstance(x_bar, complex) else x_bar
