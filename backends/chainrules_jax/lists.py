"""Functions that take lists of numbers for arrays, as NumPy's do; JAX's refuse them."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax.numpy as jnp

JOINING = ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack")
OF_ARRAYS = ("where", "take")


def array_of(x) -> Any:
    """Make an array of a list or a tuple."""
    return jnp.asarray(x) if isinstance(x, list | tuple) else x


def joining(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of a sequence of arrays one of a sequence of arrays and lists."""

    @wraps(function)
    def joined(arrays, *args, **options) -> Any:
        parts = list(map(array_of, arrays)) if isinstance(arrays, list | tuple) else arrays
        return function(parts, *args, **options)

    return joined


def of_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of arrays one of arrays and lists."""

    @wraps(function)
    def of_lists(*args, **options) -> Any:
        given = {name: array_of(option) for name, option in options.items()}
        return function(*map(array_of, args), **given)

    return of_lists


def taking_lists(functions: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return the functions that have to be made to take lists, of some by name or of JAX's."""
    known = {name: functions.get(name, getattr(jnp, name)) for name in (*JOINING, *OF_ARRAYS)}
    joined = {name: joining(known[name]) for name in JOINING}
    return joined | {name: of_arrays(known[name]) for name in OF_ARRAYS}
