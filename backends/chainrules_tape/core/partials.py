"""Operations of numbers record partials, which the sweep multiplies by.

Where partials are plain floats, an operation of one argument has the pull `times_partial`, and one of
two arguments `times_partial_of_two`, by which `sweep` knows that it has two residuals and two parents:
a pair of floats would take as much memory as the rest. Its parents are no slots, but say how many
slots before its own they are: mostly few, and Python has each small integer only once. `sweep` writes
these products out for cotangents that are floats.

Partials that are traced, or of other precisions, have another pull, and complex ones a third, whose
residuals are a number for one argument and a pair for two.
"""

from cmath import isfinite as is_finite_complex
from math import isfinite, isinf
from typing import Any

import numpy as np
from numpy import bool_, float32, float64, ndarray, vdot

from chainrules_py.makers.products import strong_product
from chainrules_tape.refusals.handles import HANDLES, plain

BOOLS = frozenset({bool, bool_})
DOUBLES = frozenset({float, float64})
REALS = DOUBLES | {float32}
# Classes of cotangents that are multiplied at once: arrays of other libraries are not asked.
NUMPYS = REALS | {complex, np.complex64, np.complex128, ndarray}


class MeetsNoNumber(Exception):
    """The cotangent of a number is an array without axes, as some rules give."""


def times_partial(partial, y_bar) -> tuple[Any, ...]:
    """Pull a cotangent back that is a number: multiply it by the partial."""
    if type(y_bar) is ndarray:
        raise MeetsNoNumber
    return times_traced(partial, y_bar)


def times_partial_of_two(partial, y_bar) -> tuple[Any, ...]:
    """Pull a cotangent back that is a number: multiply it by the partial of the first argument."""
    return times_partial(partial, y_bar)


def times_traced(residuals, y_bar) -> tuple[Any, ...]:
    """Pull a cotangent back: multiply it by partials that are traced, or no floats."""
    cls = type(plain(y_bar))
    is_fine = cls in NUMPYS and is_finite(y_bar)
    is_single = cls is float32
    if type(residuals) is not tuple:
        return (product(y_bar, residuals, is_fine, is_single),)
    d1, d2 = residuals
    return (
        product(y_bar, d1, is_fine, is_single),
        product(y_bar, d2, is_fine, is_single),
    )


def times_complex(residuals, y_bar) -> tuple[Any, ...]:
    """Pull a cotangent back: multiply it by conjugated partials, of which the kinds of the arguments
    are known. That of a real one is real.
    """
    products = [(times_traced(d.conjugate(), y_bar)[0], kind) for d, kind in residuals]
    return tuple([x_bar if kind in "DF" else np.real(x_bar) for x_bar, kind in products])


def product(y_bar, d, is_fine: bool, is_single: bool) -> Any:
    """Multiply a cotangent by a partial, knowing whether it is one of NumPy's that is finite."""
    cls = type(d)
    if cls is float:
        if d == 1.0:
            return y_bar
        if is_single:  # a constant, which may be out of range there
            d = float32(d)
    elif cls in BOOLS and type(y_bar) is not ndarray:
        return y_bar if d else 0.0  # of what is not selected, not even nan counts
    if is_fine and is_finite(d):
        return d * y_bar  # a traced number is asked first
    if type(y_bar) in DOUBLES and cls in DOUBLES:
        return carefully(y_bar, d)
    return strong_product(y_bar, d)


def is_finite(x) -> bool:
    """Whether a number, which may be traced, is finite, in all examples; false for some that are
    large, too.
    """
    while type(x) in HANDLES:
        x = x.value
    if type(x) in REALS:
        return isfinite(x)
    return isfinite(vdot(x, x).real) if type(x) is ndarray else is_finite_complex(x)


def carefully(y_bar, d) -> float64:
    """Multiply what may be infinite, with ``0 * inf = inf * 0 = 0``; NumPy's number, as sums with it
    are to warn as NumPy's do. What is not selected has the partial False, by which nan is zero, too.
    """
    if y_bar == 0.0 or (d == 0.0 and (isinf(y_bar) or type(d) in BOOLS)):
        return float64(0.0)
    return float64(y_bar) * float64(d)
