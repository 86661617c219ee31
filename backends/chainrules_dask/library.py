"""Dask's classes of arrays, and the functions that the adapter implements for them.

Next to an array of NumPy's a Dask array decides, as for Dask's own functions: the result is a Dask
array.
"""

import operator
from collections.abc import Callable
from importlib import import_module
from typing import Any

import dask.array as da
import numpy as np

from chainrules_dask.entries import (
    added_to_zeros,
    compress,
    entries_read,
    refuse_unknown_index,
    written,
)
from chainrules_dask.errors import refusing_function
from chainrules_dask.namespace import namespace
from chainrules_py import ArrayLibrary, register_library
from chainrules_py.engines.own_functions import replaced, require_known, scatter_add

OWN: dict[Any, Callable[..., Any]] = {
    operator.getitem: entries_read,
    np.compress: compress,
    scatter_add: added_to_zeros,
    replaced: written,
    require_known: refuse_unknown_index,
}

# Functions of SciPy's, besides its ufuncs, that are written in operations which a Dask array
# answers lazily.
LAZY_IN_SCIPY = frozenset(
    {"fftshift", "ifftshift", "gausspulse", "lambertw", "softplus", "zeta"}
    | {"h1vp", "h2vp", "ivp", "jvp", "kvp", "yvp"}
)


def implementation(primal) -> Callable[..., Any] | None:
    """Return Dask's version of a function; for functions of SciPy's that compute a whole array, one
    that raises.
    """
    if primal in OWN:
        return OWN[primal]
    module = getattr(primal, "__module__", None) or ""
    name = getattr(primal, "__qualname__", "")
    if not module.startswith("scipy.") or isinstance(primal, np.ufunc) or name in LAZY_IN_SCIPY:
        return None
    return refusing_function(
        f"scipy.{module.split('.')[1]}.{name}", "SciPy would compute the whole array"
    )


def array_types() -> tuple[type, ...]:
    """Return Dask's classes of arrays: the usual one, and the one of its query planner."""
    try:
        planned = import_module("dask.array._array_expr").Array
    # a part of Dask that wants more packages, or an older Dask
    except (ImportError, AttributeError):
        return (da.Array,)
    return tuple(dict.fromkeys((da.Array, planned)))


dask_library = register_library(
    ArrayLibrary(
        name="dask",
        namespace=namespace,
        array_types=array_types(),
        mutable=False,
        priority=5,
        implementations=implementation,
    )
)
