"""JAX's classes and namespace."""

import jax
import jax.numpy as jnp

from chainrules_py.arrays import ArrayLibrary, register_library

jax_library = register_library(
    ArrayLibrary(name="jax", namespace=jnp, array_types=(jax.Array, jax.core.Tracer), mutable=False, priority=10)
)
