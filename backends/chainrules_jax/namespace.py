"""The namespace `xp` of rules on JAX's arrays: `jax.numpy`, with sizes found where they can be
known, layouts where JAX asks, windows, which JAX's arrays without views lack, orders of memory,
which they do not have, and lists of numbers for arrays, which its functions refuse.
"""

from collections.abc import Callable
from functools import wraps
from types import ModuleType, SimpleNamespace
from typing import Any

import jax.numpy as jnp
import numpy as np

from chainrules_jax import explicit_axes, known_sizes

_LAID_OUT = (
    *("array", "asarray", "copy", "astype", "zeros", "ones", "empty", "full"),
    *("zeros_like", "ones_like", "empty_like", "full_like"),
)


def without_order(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that leaves out in which order NumPy would lay its result out, and as which class."""

    @wraps(function)
    def call_without_order(*args, order: Any = None, subok: bool = False, **options):
        return function(*args, **options)

    return call_without_order


def at_least_1d(a, dtype: Any = None):
    """An array with at least one axis, as `numpy.ascontiguousarray` and `asfortranarray` give it."""
    return jnp.atleast_1d(jnp.asarray(a, dtype))


def real_if_close(a, tol: Any = 100) -> Any:
    """A real array as it is; complex ones are refused, because the class would depend on values."""
    if jnp.iscomplexobj(a):
        raise NotImplementedError(
            "numpy.real_if_close: whether complex numbers of JAX's are real depends on the numbers;"
            " write x.real"
        )
    return a


def sliding_window_view(
    x, window_shape, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Any:
    """Every window, by the positions of its entries; NumPy says which those are."""
    positions = np.arange(x.size).reshape(x.shape)
    seen = np.lib.stride_tricks.sliding_window_view(positions, window_shape, axis)
    return jnp.ravel(x)[seen]


FUNCTIONS: dict[str, Any] = {
    **{name: without_order(getattr(jnp, name)) for name in _LAID_OUT},
    "asanyarray": without_order(jnp.asarray),
    "broadcast_to": without_order(jnp.broadcast_to),
    "ascontiguousarray": at_least_1d,
    "asfortranarray": at_least_1d,
    "real_if_close": real_if_close,
    # JAX says of that of complex numbers that it is constant
    "sign": lambda x: (
        jnp.where(x == 0, 0, x / jnp.where(x == 0, 1, jnp.abs(x)))
        if jnp.iscomplexobj(x)
        else jnp.sign(x)
    ),
    "lib": SimpleNamespace(stride_tricks=SimpleNamespace(sliding_window_view=sliding_window_view)),
}

# --- Lists for arrays ---

JOINING = ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack")
OF_ARRAYS = ("where", "take")


def jax_array_of_list(x) -> Any:
    """Make an array of a list or a tuple."""
    return jnp.asarray(x) if isinstance(x, list | tuple) else x


def joining(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of a sequence of arrays one of a sequence of arrays and lists."""

    @wraps(function)
    def joined(arrays, *args, **options):
        parts = list(map(jax_array_of_list, arrays)) if isinstance(arrays, list | tuple) else arrays
        return function(parts, *args, **options)

    return joined


def of_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of arrays one of arrays and lists."""

    @wraps(function)
    def of_lists(*args, **options):
        given = {name: jax_array_of_list(option) for name, option in options.items()}
        return function(*map(jax_array_of_list, args), **given)

    return of_lists


def taking_lists(functions: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return the functions that have to be made to take lists, of some by name or of JAX's."""
    known = {name: functions.get(name, getattr(jnp, name)) for name in (*JOINING, *OF_ARRAYS)}
    joined = {name: joining(known[name]) for name in JOINING}
    return joined | {name: of_arrays(known[name]) for name in OF_ARRAYS}


namespace = ModuleType(jnp.__name__, jnp.__doc__)
vars(namespace).update(vars(jnp) | FUNCTIONS | known_sizes.FUNCTIONS | explicit_axes.FUNCTIONS)
vars(namespace).update(taking_lists(vars(namespace)))
