"""Linear systems whose matrix is factored once, for the value and for its cotangent."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp


@jax.jit
def solved_by_adjoint(a: Any, b: Any) -> Any:
    """A^-H B as the transpose of multiplying by A^-1, which JAX makes of the factors of A; those of A^H would be others."""
    if b.ndim == 1:
        return solved_by_adjoint(a, b[:, None])[..., 0]
    stack = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    b = jnp.broadcast_to(b, (*stack, *b.shape[-2:])).astype(jnp.result_type(a, b))
    (x,) = jax.linear_transpose(partial(jnp.linalg.solve, a), b)(jnp.conj(b))
    return jnp.conj(x)
