"""Functions of entries by NumPy's names and with NumPy's promotion, computed by the standard's
functions.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from chainrules_array_api.errors import computed_by_standard, raise_not_standard
from chainrules_array_api.standard_array import (
    NUMBERS,
    StandardArray,
    alike,
    array_of,
    namespace_of,
    on_standard,
    own_dtype,
    wrapped,
)
from chainrules_py.annotations import Function


def of_one(name: str, theirs: str) -> Function:
    """A function of one array, by its name in NumPy and in the standard; of integers, too, its
    result has the dtype of NumPy's.
    """
    function = getattr(np, name)

    def compute_of_one(x):
        if not isinstance(x, StandardArray):
            return function(x)
        given = array_of(x.xp, x, computing_dtype(name, x.dtype))
        return wrapped(computed_by_standard(x.xp, theirs, name, given))

    return compute_of_one


@lru_cache(maxsize=1024)
def computing_dtype(name: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which a function is computed: that of NumPy's result, where the standard takes
    no other.
    """
    if name in QUESTIONS:
        return dtype if dtype.kind in "fc" else np.dtype(np.float64)
    result = dtype if dtype.kind in "fc" else getattr(np, name)(np.zeros(1, dtype)).dtype
    return np.dtype(bool) if name == "logical_not" else result


# These the standard answers for floating-point and complex numbers only.
QUESTIONS = frozenset({"isnan", "isinf", "isfinite", "signbit"})


def of_two(name: str, theirs: str) -> Function:
    """A function of two arrays, or of an array and a number of Python's, by its name in NumPy and in
    the standard.
    """
    function = getattr(np, name)
    stay_numbers = frozenset() if name.startswith("logical") else NUMBERS

    def compute_of_two(x1, x2):
        xp = namespace_of((x1, x2))
        if xp is np:
            return function(x1, x2)
        dtype = common_dtype(name, kind_of(x1), kind_of(x2))
        a = x1 if type(x1) in stay_numbers else array_of(xp, x1, dtype)
        b = x2 if type(x2) in stay_numbers else array_of(xp, x2, dtype)
        return wrapped(computed_by_standard(xp, theirs, name, a, b))

    return compute_of_two


def kind_of(x) -> Any:
    """The dtype of an array, or the class of a number of Python's."""
    return x.dtype if hasattr(x, "dtype") else type(x)


@lru_cache(maxsize=1024)
def common_dtype(name: str, *kinds) -> np.dtype[Any]:
    """The dtype in which a function of two arrays is computed, by what NumPy makes of its arguments."""
    if name.startswith("logical"):
        return np.dtype(bool)
    dtype = np.result_type(*(kind if isinstance(kind, np.dtype) else kind(0) for kind in kinds))
    gives_floats = getattr(np, name)(1, 1).dtype.kind == "f"
    return np.result_type(dtype, np.float64) if gives_floats and dtype.kind in "biu" else dtype


def same(*names: str) -> dict[str, str]:
    """Names that the standard has as well as NumPy."""
    return {name: name for name in names}


# Functions of one array, and of two: NumPy's name, and the standard's.
ONE = {
    **same(
        *("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "expm1", "log", "log1p"),
        *("log2", "log10", "sqrt", "square", "sign", "floor", "ceil", "trunc", "isnan"),
        *("isinf", "isfinite", "reciprocal", "signbit", "logical_not", "negative"),
        *("acos", "acosh", "asin", "asinh", "atan", "atanh", "abs", "positive"),
    ),
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctanh": "atanh",
    "absolute": "abs",
    "rint": "round",
    **dict.fromkeys(("invert", "bitwise_not", "bitwise_invert"), "bitwise_invert"),
}
TWO = {
    **same(
        *("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "pow"),
        *("maximum", "minimum", "hypot", "logaddexp", "copysign", "nextafter", "atan2"),
        *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
        *("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or"),
        "bitwise_xor",
    ),
    **dict.fromkeys(("left_shift", "bitwise_left_shift"), "bitwise_left_shift"),
    **dict.fromkeys(("right_shift", "bitwise_right_shift"), "bitwise_right_shift"),
    "power": "pow",
    "true_divide": "divide",
    "mod": "remainder",
    "arctan2": "atan2",
}


def real(x) -> Any:
    """The real part."""
    return wrapped(x.xp.real(x.array)) if x.dtype.kind == "c" else x


def imag(x) -> Any:
    """The imaginary part; zeros of a real array."""
    part = x.xp.imag if x.dtype.kind == "c" else x.xp.zeros_like
    return wrapped(part(x.array))


def real_if_close(a, tol: float = 100) -> Any:
    """A real array itself."""
    if a.dtype.kind == "c":
        raise_not_standard("real_if_close", "complex numbers", "write numpy.real")
    return a


def conj(x) -> Any:
    """The complex conjugate; a real array itself."""
    return wrapped(x.xp.conj(x.array)) if x.dtype.kind == "c" else x


def where(condition, x: Any = None, y: Any = None) -> Any:
    """Entries of one array where a condition holds, of another elsewhere."""
    if x is None:
        return np.nonzero(condition)
    xp = namespace_of((condition, x, y))
    if xp is np:
        return np.where(condition, x, y)
    return wrapped(xp.where(array_of(xp, condition, bool), *alike(xp, x, y)))


def astype(x, dtype, *, copy: bool = True, device: Any = None) -> Any:
    """The array in another type of numbers."""
    if not isinstance(x, StandardArray):
        return np.asarray(x).astype(dtype)
    return wrapped(x.xp.astype(x.array, own_dtype(x.xp, dtype)))


def iscomplexobj(x) -> bool:
    """Tell whether numbers of this type are complex."""
    return np.dtype(getattr(x, "dtype", type(x))).kind == "c"


def isrealobj(x) -> bool:
    """Tell whether numbers of this type are real."""
    return not iscomplexobj(x)


ON_STANDARD: tuple[Function, ...] = (real, imag, real_if_close, conj)
FUNCTIONS: dict[str, Function] = {
    **{name: of_one(name, theirs) for name, theirs in ONE.items()},
    **{name: of_two(name, theirs) for name, theirs in TWO.items()},
    **{f.__name__: on_standard(f, getattr(np, f.__name__)) for f in ON_STANDARD},
    **{f.__name__: f for f in (where, astype, iscomplexobj, isrealobj)},
    "conjugate": on_standard(conj, np.conj),
}
