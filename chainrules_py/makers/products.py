"""Products that generated rules call where the seed is unusual, or where zero meets infinity.

Strong zero: where a partial is infinite or nan, a cotangent that is exactly zero gives zero.
`where(x > 0, sqrt(x), 0)` then has derivative 0 at 0, not nan. And where a cotangent is infinite, a
partial that is exactly zero gives zero, so that the order in which the factors of the chain rule
are multiplied, from the result or from the arguments, does not matter. A factor is replaced only
there, so that derivatives of the product stay exact wherever it is finite, a zero of the other
included.
"""

import math
import operator
from typing import Any

import numpy as np

from chainrules_py.errors import RuleContractError
from chainrules_py.makers.declarations import primitive
from chainrules_py.projection import ProjectTo
from chainrules_py.strong_zeros.strictness import this_thread
from chainrules_py.tangents import NO_TANGENT, unthunk
from chainrules_py.values.arrays import library_of_types, numpy_library, stood_for
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.structure import is_container, mapped


def strong_product(a_bar, partial) -> Any:
    """Multiply a cotangent by a partial, with ``0 * inf = 0``.

    Where the cotangent is infinite and the partial zero, the processor's flag tells, and
    `careful_product` is called.

    >>> strong_product(np.array([0.0, 2.0]), np.array([np.inf, 3.0]))
    array([0., 6.])
    """
    # a traced one says that it is its value's class
    if issubclass(type(partial), (np.ndarray, np.generic, float, complex)):
        # One fused pass that allocates nothing: the squared norm is finite unless some entry is not
        # (or squares overflow, which only costs the careful path). 50 us for 10**6 entries, where
        # isfinite(...).all() takes 120.
        entries: Any = partial
        if math.isfinite(np.vdot(entries, entries).real):
            product = a_bar * partial
            if type(product) is not float or product == product:
                return product
            return careful_product(a_bar, partial)  # of two Python numbers no flag tells
    if issubclass(type(partial), int):
        return strong_product(a_bar, in_range(partial))
    # A strict step raises where such a product meets an infinity, whenever it runs.
    if this_thread.strictness.applies and stands_for_finite(partial):
        return a_bar * partial
    xp = library_of_types((type(a_bar), type(partial))).namespace
    is_finite = xp.isfinite(partial)
    if is_all_true(is_finite) and is_all_true(xp.isfinite(a_bar)):
        return a_bar * partial
    return recorded_product(a_bar, xp.where(is_finite | (a_bar != 0), partial, 0))


def stands_for_finite(x) -> bool:
    """Whether a value stands for an array of NumPy's without infinities and nan."""
    held = stood_for(x)
    if held is None:
        return False
    return math.isfinite(np.vdot(held, held).real) or bool(np.isfinite(held).all())


def is_all_true(answers) -> bool:
    """Whether all entries are known to be true: those of lanes or of a recording are not known."""
    return type(answers) in (np.ndarray, np.bool_) and bool(answers.all())


def recorded_product(a_bar, partial) -> Any:
    """Multiply; of handles by `guarded_product`, since they may be differentiated once more."""
    either = is_handle(a_bar) or is_handle(partial)
    return (guarded_product if either else told_product)(a_bar, partial)


def is_handle(x) -> bool:
    """Whether a value is traced: it may be differentiated once more."""
    return hasattr(type(x), "__chainrules_call__")


def told_product(a_bar, partial) -> Any:
    """Multiply, with ``inf * 0 = 0`` on the libraries that raise no flag there: all but NumPy."""
    library = library_of_types((type(a_bar), type(partial)))
    if library is numpy_library() or any(stood_for(x) is not None for x in (a_bar, partial)):
        return a_bar * partial
    if not library.implementation(is_worth_asking)(a_bar, partial):
        return a_bar * partial
    return _where_it_counts(a_bar, partial, library.namespace) * partial


def is_worth_asking(a_bar, partial) -> bool:
    """Whether the factors of a product are asked where they are infinite and zero: a library that
    compiles may decline, where each question is one for every entry at every call.
    """
    return True


@primitive
def guarded_product(a_bar, partial) -> Any:
    """Multiply what may be infinite or nan, so that derivatives of the product are strong, too.

    Those of `multiply` are not where a factor is nan, of which no flag tells.

    >>> guarded_product(2.0, 3.0)
    6.0
    """
    return told_product(a_bar, partial)


def in_range(partial) -> Any:
    """Convert Python's integers to floats: NumPy's functions refuse those of more than 64 bits."""
    return float(partial) if issubclass(type(partial), int) else partial


def _where_it_counts(a_bar, partial, xp) -> Any:
    """A cotangent without the infinities that a partial of zero is multiplied by."""
    return xp.where(xp.isinf(a_bar) & (partial == 0), 0, a_bar)


def careful_product(a_bar, partial, *sources) -> Any:
    """Multiply a cotangent by a partial, with ``0 * inf = inf * 0 = 0``.

    It is called where the plain product has raised NumPy's "invalid" for one entry or several; each
    entry is what it would be if it were alone. A partial that is computed of a nan in `sources`
    stays nan, because NumPy does not raise where a nan goes on.

    >>> careful_product(np.array([0.0, np.inf, np.inf]), np.array([np.inf, 0.0, 3.0]))
    array([ 0.,  0., inf])
    """
    partial = in_range(partial)
    xp = library_of_types((type(a_bar), type(partial))).namespace
    counts = xp.isfinite(partial) | (a_bar != 0)
    for source in sources:
        counts = counts | xp.isnan(source)
    multiply = operator.mul if sources else recorded_product
    return multiply(_where_it_counts(a_bar, partial, xp), xp.where(counts, partial, 0))


def selected_product(a_bar, weight) -> Any:
    """Multiply a cotangent by the weight with which an argument is selected.

    Where the weight is zero, the cotangent does not count. It is replaced where it is not finite,
    and only there, because the weight may have a derivative.

    >>> selected_product(np.array([np.nan, np.inf, 2.0]), np.array([0.0, 0.5, 1.0]))
    array([ 0., inf,  2.])
    """
    cls, entries = type(a_bar), a_bar
    if cls is np.ndarray:  # nearly always
        finite = math.isfinite(np.vdot(entries, entries).real)
    elif cls is np.float64 or cls is float:
        finite = math.isfinite(a_bar)
    else:
        finite = issubclass(cls, (np.ndarray, np.generic, complex)) and math.isfinite(
            np.vdot(entries, entries).real
        )
    if finite:
        return a_bar * weight
    if this_thread.strictness.applies and stands_for_finite(a_bar):
        return a_bar * weight
    xp = library_of_types((cls, type(weight))).namespace
    return xp.where((weight == 0) & ~xp.isfinite(a_bar), 0, a_bar) * weight


def quotient(numerator, denominator) -> Any:
    """Divide by a Python number, which at zero gives what NumPy says and not an exception.

    >>> with np.errstate(divide="ignore"):
    ...     quotient(1, 4), quotient(1.0, 0.0)
    (0.25, np.float64(inf))
    """
    return numerator / denominator if denominator else np.divide(numerator, denominator)


def in_double(x):
    """Unsigned integers, and those of less than 8 bytes, as floats; other values as they are."""
    dtype: Any = getattr(x, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.kind not in "biu":
        return x
    return x.astype(float) if dtype.itemsize < 8 or dtype.kind == "u" else x


def with_dtype(out, primal) -> Any:
    """Replace Python's numbers by NumPy's in one output or several, so that each has a dtype.

    >>> with_dtype((1.0, 2j), None)
    (np.float64(1.0), np.complex128(2j))
    """
    if is_container(out):
        return mapped(lambda part: with_dtype(part, primal), out)
    if hasattr(out, "dtype"):
        return out
    if isinstance(out, int | float | complex):
        return np.asarray(out)[()]
    got = f"returned a {type(out).__qualname__}, for which a scalar rule has no derivative"
    raise RuleContractError(
        qualified_name(primal),
        got,
        "return numbers or arrays",
        rule=None,
        location=None,
        argument="out",
        value=out,
        expected="a number",
    )


def fit_tangent(out_dot, out) -> Any:
    """Bring a tangent to its output: broadcast like it, real where it is real, of its dtype."""
    out_dot = unthunk(out_dot)
    if not hasattr(out, "dtype"):
        return ProjectTo(out)(out_dot)
    dtype = out.dtype
    if dtype.kind in "biu":
        return NO_TANGENT
    xp = library_of_types((type(out_dot), type(out))).namespace
    if not hasattr(out_dot, "dtype"):
        if not issubclass(type(out_dot), (int, float, complex)):
            return ProjectTo(out)(out_dot)  # NumPy makes nan of None
        out_dot = xp.asarray(out_dot, dtype=dtype)
        out_dot = out_dot[()] if isinstance(out, np.generic) else out_dot
    if out_dot.shape != out.shape:
        if len(out_dot.shape) > len(out.shape):
            return ProjectTo(out)(out_dot)  # says what is wrong with it
        out_dot = xp.broadcast_to(out_dot, out.shape)
    if out_dot.dtype.kind == "c" and dtype.kind != "c":
        out_dot = xp.real(out_dot)
    return out_dot if out_dot.dtype == dtype else out_dot.astype(dtype)


def fit_number(x_bar, cls: type):
    """Bring a cotangent to a Python number that was broadcast: sum it, and take the item."""
    if getattr(x_bar, "shape", ()) != ():
        x_bar = x_bar.sum()
    if not issubclass(cls, complex) and getattr(getattr(x_bar, "dtype", None), "kind", "") == "c":
        x_bar = x_bar.real
    # A number on a device stays there, and a traced one stays traced.
    return x_bar.item() if issubclass(type(x_bar), (np.generic, np.ndarray)) else x_bar
