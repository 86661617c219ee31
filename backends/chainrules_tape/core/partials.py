"""Operations of numbers record partials, which the sweep multiplies by.

The residuals of such an operation are a number for one argument and a pair for two. Where the pull
is `times_partials`, these are plain floats: `sweep` has the products written out for cotangents that
are floats, too. Partials that are traced, or of other precisions, have another pull, and complex
ones a third.
"""

from cmath import isfinite
from math import isinf
from typing import Any

import numpy as np
from numpy import bool_, float64, ndarray

from chainrules_py.makers.products import strong_product
from chainrules_tape.refusals.handles import plain

BOOLS = frozenset({bool, bool_})
DOUBLES = frozenset({float, float64})
# Classes of cotangents that are multiplied at once: arrays of other libraries are not asked.
NUMPYS = DOUBLES | {np.float32, complex, np.complex64, np.complex128, ndarray}


def times_partials(residuals, y_bar) -> tuple[Any, ...]:
    """Pull a cotangent back: multiply it by the partials."""
    if type(residuals) is tuple:
        d1, d2 = residuals
        return times_partial(y_bar, d1), times_partial(y_bar, d2)
    return (times_partial(y_bar, residuals),)


def times_traced(residuals, y_bar) -> tuple[Any, ...]:
    """Pull a cotangent back: multiply it by partials that are traced, or no floats."""
    return times_partials(residuals, y_bar)


def times_complex(residuals, y_bar) -> tuple[Any, ...]:
    """Pull a cotangent back: multiply it by conjugated partials, of which the kinds of the arguments
    are known. That of a real one is real.
    """
    products = [(times_partial(y_bar, np.conjugate(d)), kind) for d, kind in residuals]
    return tuple([x_bar if kind in "DF" else np.real(x_bar) for x_bar, kind in products])


def times_partial(y_bar, d) -> Any:
    """Multiply any cotangent by a partial."""
    if type(d) in BOOLS and type(y_bar) is not ndarray:
        return y_bar if d else 0.0  # of what is not selected, not even nan counts
    if type(y_bar) in DOUBLES and type(d) in DOUBLES:
        x_bar = float(y_bar) * d
        return float64(x_bar) if x_bar - x_bar == 0.0 else carefully(y_bar, d)
    value = plain(y_bar)
    cls = type(value)
    if cls is np.float32 and type(d) is float:  # a constant, which may be out of range there
        d = np.float32(d)
    if cls in NUMPYS and is_finite(value) and is_finite(d):
        return d * y_bar  # a traced number is asked first
    return strong_product(y_bar, d)


def is_finite(x) -> bool:
    """Whether a number, which may be traced, is finite, in all examples."""
    x = plain(x)
    return bool(np.isfinite(x).all()) if type(x) is ndarray else isfinite(x)


def carefully(y_bar, d) -> float64:
    """Multiply what may be infinite, with ``0 * inf = inf * 0 = 0``; NumPy's number, as sums with it
    are to warn as NumPy's do. What is not selected has the partial False, by which nan is zero, too.
    """
    if y_bar == 0.0 or (d == 0.0 and (isinf(y_bar) or type(d) in BOOLS)):
        return float64(0.0)
    return float64(y_bar) * float64(d)
