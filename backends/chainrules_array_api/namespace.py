"""The namespace `xp` of rules on arrays of the standard: NumPy's names; those that the standard
lacks raise.

Functions that make arrays of numbers alone make NumPy's, which combine with arrays of every library
of the standard.
"""

from functools import partial
from typing import Any

import numpy as np

from chainrules_array_api import elementwise, moves, products, programs, reductions, shapes
from chainrules_array_api.errors import refusing_function
from chainrules_array_api.standard_array import StandardArray, operator_of
from chainrules_py.engines import NamesOfNumPy, add_methods, body_of
from chainrules_py.values.operators import BINARY, COMPARISONS, UNARY

CREATION = (
    "zeros",
    "ones",
    "full",
    "empty",
    "arange",
    "eye",
    "identity",
    "tri",
    "broadcast_shapes",
    "finfo",
    "iinfo",
    *("tril_indices", "triu_indices", "diag_indices", "unravel_index", "ravel_multi_index"),
)
WITHOUT_ARRAYS = (
    "isscalar",
    "ndindex",
    "indices",
    "promote_types",
    "issubdtype",
    "can_cast",
    "isdtype",
    "iterable",
    "min_scalar_type",
)


def asarray(x, dtype: Any = None, **options) -> Any:
    """Return an array of the standard as it is, in another dtype if asked; else NumPy's array."""
    if isinstance(x, StandardArray):
        return x if dtype is None else elementwise.astype(x, dtype)
    return np.asarray(x, dtype, **options)


def array(x, dtype: Any = None, *, ndmin: int = 0, **options) -> Any:
    """Return an array of the standard without copying it, because nobody can write into it.

    For anything else, NumPy's array is made.
    """
    if not isinstance(x, StandardArray):
        return np.array(x, dtype, ndmin=ndmin, **options)
    return shapes.FUNCTIONS["reshape"](asarray(x, dtype), (1,) * (ndmin - x.ndim) + x.shape)


def result_type(*values) -> Any:
    """The dtype in which arrays, numbers and dtypes meet."""
    return np.result_type(
        *[value if isinstance(value, type) else getattr(value, "dtype", value) for value in values]
    )


MAIN: dict[str, Any] = {
    **{name: getattr(np, name) for name in (*CREATION, *WITHOUT_ARRAYS)},
    **elementwise.FUNCTIONS,
    **reductions.FUNCTIONS,
    **shapes.FUNCTIONS,
    **products.FUNCTIONS,
    **moves.FUNCTIONS,
    **programs.FUNCTIONS,
    **dict.fromkeys(("asarray", "asanyarray"), asarray),
    **dict.fromkeys(("ascontiguousarray", "asfortranarray"), partial(array, ndmin=1)),
    "array": array,
    "result_type": result_type,
}


def found(function, name: str) -> Any:
    """The body of a function that is a program of others; any other raises when it is called."""
    return body_of(function) or refusing_function(name)


LINALG = NamesOfNumPy(np.linalg, products.LINALG, found)
FFT = NamesOfNumPy(np.fft, products.FFT, found)
namespace: Any = NamesOfNumPy(np, {**MAIN, "linalg": LINALG, "fft": FFT}, found)

OPERATORS = {**BINARY, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
ATTRIBUTES = {
    "T": "transpose",
    "mT": "matrix_transpose",
    "real": "real",
    "imag": "imag",
}

for _name, _ufunc in (OPERATORS | COMPARISONS).items():
    _function = MAIN[_ufunc.__name__]
    setattr(StandardArray, f"__{_name}__", operator_of(_function))
    if _name in OPERATORS:
        setattr(StandardArray, f"__r{_name}__", operator_of(_function, reflected=True))
for _name, _ufunc in {**UNARY, "invert": np.invert}.items():
    setattr(StandardArray, f"__{_name}__", MAIN[_ufunc.__name__])
add_methods(StandardArray, MAIN)
for _name, _function in ATTRIBUTES.items():
    setattr(StandardArray, _name, property(MAIN[_function]))
