"""Linear systems whose matrix is factored once, for the value and for its cotangent, or not at all,
where it is triangular.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp


@partial(jax.jit, inline=True)
def solved_by_adjoint(a, b) -> Any:
    """A^-H B by the factors of A: JAX's transpose of solving with A uses them again.

    Solving with A^H itself would factor that anew.
    """
    if b.ndim == 1:
        return solved_by_adjoint(a, b[:, None])[..., 0]
    stack = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    b = jnp.broadcast_to(b, (*stack, *b.shape[-2:])).astype(jnp.result_type(a, b))
    (x,) = jax.linear_transpose(partial(jnp.linalg.solve, a), b)(jnp.conj(b))
    return jnp.conj(x)


@partial(jax.jit, static_argnames=("lower", "of_adjoint"), inline=True)
def solved_by_substitution(t, b, *, lower: bool, of_adjoint: bool) -> Any:
    """T^-1 B or T^-H B of a triangular T, in stacks of the same shape."""
    dtype = jnp.result_type(t, b)
    return jax.lax.linalg.triangular_solve(
        t.astype(dtype),
        b.astype(dtype),
        left_side=True,
        lower=lower,
        transpose_a=of_adjoint,
        conjugate_a=of_adjoint,
    )
