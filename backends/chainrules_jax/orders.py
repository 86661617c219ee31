"""Functions of NumPy's that take an order of memory, which JAX's arrays do not have."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax.numpy as jnp

_LAID_OUT = (
    *("array", "asarray", "copy", "astype", "zeros", "ones", "empty", "full"),
    *("zeros_like", "ones_like", "empty_like", "full_like"),
)


def without_order(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that leaves out in which order NumPy would lay its result out."""

    @wraps(function)
    def called(*args, order: Any = None, **options) -> Any:
        return function(*args, **options)

    return called


def at_least_1d(a, dtype: Any = None) -> Any:
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


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: without_order(getattr(jnp, name)) for name in _LAID_OUT},
    "ascontiguousarray": at_least_1d,
    "asfortranarray": at_least_1d,
    "real_if_close": real_if_close,
}
