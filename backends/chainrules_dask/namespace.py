"""The namespace `xp` of rules on Dask's arrays: NumPy's names, all of them lazy.

NumPy hands a function that Dask lacks the computed array, with no more than a warning. Here such
names raise.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import dask.array as da
import numpy as np

from chainrules_dask import functions
from chainrules_dask.errors import refused
from chainrules_py.engines import body_of

# What Dask lacks, and is a program of what it has.
BODIES = frozenset({"cumulative_sum", "cumulative_prod"})


class LazyNamespace:
    """A module of NumPy's on Dask's arrays: the functions in `own`, then those of Dask's module;
    other names raise when they are called.
    """

    def __init__(self, module: ModuleType, lazy, own: dict[str, Any]) -> None:
        self.__dict__ |= own
        self._module, self._lazy = module, lazy

    def __getattr__(self, name: str) -> Any:
        original = getattr(self._module, name)  # AttributeError for what NumPy does not have
        if isinstance(original, ModuleType):
            return LazyNamespace(original, getattr(self._lazy, name, None), {})
        if isinstance(original, type) or not callable(original):
            return original
        found = body_of(original) if name in BODIES else getattr(self._lazy, name, None)
        found = refused(self._dotted(name)) if found is None else found
        if isinstance(original, np.ufunc):
            found = Ufunc(found, original)
        setattr(self, name, found)
        return found

    def _dotted(self, name: str) -> str:
        return f"{self._module.__name__}.{name}".removeprefix("numpy.")

    def __repr__(self) -> str:
        return f"<{self._module.__name__} of Dask's arrays>"


class Ufunc:
    """A ufunc of Dask's with the methods that Dask has by other names."""

    def __init__(self, function: Callable[..., Any], original: np.ufunc) -> None:
        self._function, self._original = function, original

    def __call__(self, *args, **options) -> Any:
        """Return the values, lazily."""
        if options.pop("where", True) is not True:
            return refused(f"{self._original.__name__}(where=...)")()
        return self._function(*args, **options)

    def __getattr__(self, method: str) -> Any:
        getattr(self._original, method)  # AttributeError for what no ufunc has
        name = f"{self._original.__name__}.{method}"
        return functions.METHODS.get(name) or getattr(self._function, method, None) or refused(name)


OWN = {
    **functions.NAMES,
    "fft": LazyNamespace(np.fft, da.fft, functions.FFT),
    "linalg": LazyNamespace(np.linalg, da.linalg, functions.LINALG),
}
namespace: Any = LazyNamespace(np, da, OWN)
