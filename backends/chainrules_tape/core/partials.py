"""Operations of numbers record partials, which the sweep multiplies by.

The pull of such an operation is `times_partials`, its residuals are a number for one argument and a
pair for two. `sweep` has the products written out for cotangents that are floats.
"""

from math import isinf
from typing import Any

from numpy import bool_, float64, isfinite, ndarray

from chainrules_py.makers.products import strong_product
from chainrules_tape.refusals.handles import plain

BOOLS = frozenset({bool, bool_})


def times_partials(residuals, y_bar) -> tuple[Any, ...]:
    """Pull a cotangent back: multiply it by the partials."""
    if type(residuals) is tuple:
        d1, d2 = residuals
        return times(y_bar, d1), times(y_bar, d2)
    return (times(y_bar, residuals),)


def times(y_bar, d) -> Any:
    """Multiply any cotangent by a partial."""
    if type(y_bar) is float or type(y_bar) is float64:
        x_bar = float(y_bar) * d
        return float64(x_bar) if x_bar - x_bar == 0.0 else carefully(y_bar, d)
    value = plain(y_bar)
    if type(value) is not float and type(value) is not float64 and type(value) is not ndarray:
        return strong_product(y_bar, d)  # of another library, whose arrays are not asked
    x_bar = y_bar * d
    return x_bar if isfinite(plain(x_bar)).all() else strong_product(y_bar, d)


def carefully(y_bar: float, d: float) -> float64:
    """Multiply what may be infinite, with ``0 * inf = inf * 0 = 0``; NumPy's number, as sums with it
    are to warn as NumPy's do. What is not selected has the partial False, by which nan is zero, too.
    """
    if y_bar == 0.0 or (d == 0.0 and (isinf(y_bar) or type(d) in BOOLS)):
        return float64(0.0)
    return float64(y_bar) * float64(d)
