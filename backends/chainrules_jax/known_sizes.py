"""Functions of `jax.numpy` whose results have a size that depends on values, for values that are
known while JAX traces.

Inside `jax.jit` everything that `jax.numpy` returns is traced, also what it makes of constants, and
a size that depends on traced values is refused. Here the size is found before JAX is asked, from
arguments that nobody traces: a condition, an array of integers. Where those are traced, too, JAX
says so itself.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer


def at_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, computed while JAX traces where no argument is traced: its result is then as
    well known as they are.
    """

    @wraps(function)
    def computed(*args, **options):
        if any(isinstance(value, Tracer) for value in (*args, *options.values())):
            return function(*args, **options)
        with jax.ensure_compile_time_eval():
            return function(*args, **options)

    return computed


def compress(condition, a, axis: int | None = None) -> Any:
    """The slices of `a` where the condition holds."""
    if isinstance(condition, Tracer):
        return jnp.compress(condition, a, axis=axis)
    length = jnp.size(a) if axis is None else jnp.shape(a)[axis]
    return jnp.take(a, np.compress(np.asarray(condition), np.arange(length)), axis=axis)


def extract(condition, arr) -> Any:
    """The entries of `arr` where the condition holds, both flat."""
    if isinstance(condition, Tracer):
        return jnp.extract(condition, arr)
    return jnp.take(arr, np.extract(np.asarray(condition), np.arange(jnp.size(arr))))


def bincount(x, weights: Any = None, minlength: int = 0) -> Any:
    """The sum of the weights of each integer from 0 to the largest one in `x`."""
    if isinstance(x, Tracer):
        return jnp.bincount(x, weights, minlength)
    return jnp.bincount(x, weights, length=len(np.bincount(np.asarray(x), minlength=minlength)))


def roots(p) -> Any:
    """The roots of a polynomial; one nan for each leading zero of traced coefficients, which cannot
    be stripped.
    """
    try:
        return jnp.roots(p)
    except jax.errors.ConcretizationTypeError:
        return jnp.roots(p, strip_zeros=False)


# `nonzero`, and the functions that rules apply to a condition before they call it
OF_CONDITIONS = ("nonzero", "ravel", "logical_or", "logical_not")
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{function.__name__: function for function in (compress, extract, bincount, roots)},
    **{name: at_once(getattr(jnp, name)) for name in OF_CONDITIONS},
}
