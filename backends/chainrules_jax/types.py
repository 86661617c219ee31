"""JAX's classes and namespace, and what its immutable arrays do in their own way."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.core import Tracer

from chainrules_py.arrays import ArrayLibrary, register_library
from chainrules_py.rulesets.replacing import replaced
from chainrules_py.rulesets.scatter import scatter_add


def add_at(values: Any, index: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """`scatter_add` on arrays that cannot be written."""
    return jnp.zeros(shape, dtype).at[index].add(values)


def set_at(a: Any, index: Any, values: Any) -> Any:
    """`replaced` on arrays that cannot be written."""
    return jnp.asarray(a).at[index].set(values)


OWN: dict[Any, Callable[..., Any]] = {scatter_add: add_at, replaced: set_at}

jax_library = register_library(
    ArrayLibrary(
        name="jax",
        namespace=jnp,
        array_types=(jax.Array, Tracer),
        mutable=False,
        priority=10,
        implementations=OWN.get,
    )
)
