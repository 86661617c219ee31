"""The namespace `xp` of rules on Dask's arrays: NumPy's names, all of them lazy.

NumPy hands a function that Dask lacks the computed array, with no more than a warning. Here such
names raise.
"""

from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np

from chainrules_dask import functions
from chainrules_dask.errors import refusing_function
from chainrules_py.engines import NamesOfNumPy, body_of, found_at

# What Dask lacks, or has with fewer options, and is a program of what it has.
BODIES = frozenset(
    {
        "cumulative_sum",
        "cumulative_prod",
        "diff",
        "dot",
        "gradient",
        "inner",
        "linspace",
        "pad",
        "ptp",
    }
    | {"choose", "full_like", "unstack", "linalg.matrix_norm", "linalg.outer", "linalg.vector_norm"}
)


def lazy(function, name: str) -> Any:
    """Dask's function by a name of NumPy's; one that raises where Dask lacks it."""
    found: Any = body_of(function) if name in BODIES else found_at(da, name)
    found = refusing_function(name) if found is None else found
    return Ufunc(found, function) if isinstance(function, np.ufunc) else found


class Ufunc:
    """A ufunc of Dask's with the methods that Dask has by other names."""

    def __init__(self, function: Callable[..., Any], original: np.ufunc) -> None:
        self._function, self._original = function, original

    def __call__(self, *args, **options) -> Any:
        """Return the values, lazily."""
        if options.pop("where", True) is not True:
            return refusing_function(f"{self._original.__name__}(where=...)")()
        return self._function(*args, **options)

    def __getattr__(self, method: str) -> Any:
        getattr(self._original, method)  # AttributeError for what no ufunc has
        name = f"{self._original.__name__}.{method}"
        return (
            functions.METHODS.get(name)
            or getattr(self._function, method, None)
            or refusing_function(name)
        )


LINALG = NamesOfNumPy(np.linalg, functions.LINALG, lazy)
FFT = NamesOfNumPy(np.fft, functions.FFT, lazy)
namespace: Any = NamesOfNumPy(np, {**functions.NAMES, "linalg": LINALG, "fft": FFT}, lazy)
