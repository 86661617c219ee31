"""The namespace `xp` of rules on arrays of the standard: NumPy's names; those that the standard
lacks raise.

Functions that make arrays of numbers alone make NumPy's, which combine with arrays of every library
of the standard.
"""

from types import ModuleType
from typing import Any

import numpy as np

from chainrules_array_api import elementwise, moves, products, programs, reductions, shapes
from chainrules_array_api.errors import refused
from chainrules_array_api.standard_array import StandardArray, operator_of
from chainrules_py.engines import add_methods
from chainrules_py.engines.absent_functions import body_of
from chainrules_py.values.operators import BINARY, COMPARISONS, UNARY

CREATION = (
    "zeros",
    "ones",
    "full",
    "empty",
    "arange",
    "linspace",
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


class StandardNamespace:
    """A module of NumPy's on arrays of the standard: the functions in `own`; other names raise when
    they are called.
    """

    def __init__(self, module: ModuleType, own: dict[str, Any]) -> None:
        self.__dict__ |= own
        self._module = module

    def __getattr__(self, name: str) -> Any:
        original = getattr(self._module, name)  # AttributeError for what NumPy does not have
        if isinstance(original, ModuleType):
            return StandardNamespace(original, {})
        if isinstance(original, type) or not callable(original):
            return original
        body = body_of(original)
        if body is not None:
            return body
        return refused(f"{self._module.__name__}.{name}".removeprefix("numpy."))

    def __repr__(self) -> str:
        return f"<{self._module.__name__} of arrays of the standard>"


def asarray(x, dtype: Any = None, **options) -> Any:
    """Return an array of the standard as it is, in another dtype if asked; else NumPy's array."""
    if type(x) is StandardArray:
        return x if dtype is None else elementwise.astype(x, dtype)
    return np.asarray(x, dtype, **options)


def array(x, dtype: Any = None, *, ndmin: int = 0, **options) -> Any:
    """Return an array of the standard without copying it, because nobody can write into it.

    Of anything else, NumPy's array is made.
    """
    if type(x) is not StandardArray:
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
    "asarray": asarray,
    "array": array,
    "result_type": result_type,
}
namespace: Any = StandardNamespace(
    np,
    {
        **MAIN,
        "linalg": StandardNamespace(np.linalg, products.LINALG),
        "fft": StandardNamespace(np.fft, products.FFT),
    },
)

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
