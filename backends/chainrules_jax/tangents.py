"""Tangents of JAX as ours, and ours as JAX's: zeros, integers, the complex convention, dtypes.

JAX's cotangents are transposed and ours are adjoint: the gradient of a real loss is dx + i dy here
and dx - i dy there. So the cotangents that enter and leave each pullback of ours are conjugated.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from chainrules_jax.errors import JaxError
from chainrules_py import ZERO, is_zero

Spec = jax.ShapeDtypeStruct


def spec_of(x):
    """The shape and dtype of a value as JAX has it."""
    return Spec(np.shape(x), x.dtype)


def has_jax_array(part) -> bool:
    """Tell whether JAX has arrays for a part of a value: it has none for text and other objects."""
    kind = getattr(getattr(part, "dtype", None), "kind", "")
    return isinstance(part, int | float | complex) or kind not in ("", "O", "U", "S")


def is_floating(x) -> bool:
    """Tell whether a value, or what has its dtype, is real or complex: integers have no tangent."""
    return bool(jnp.issubdtype(x.dtype, jnp.inexact))


def from_symbolic(dot):
    """A tangent of `jax.custom_jvp` with symbolic zeros, ours: float0 and symbolic zeros are ZERO.

    It may be a number of Python's, as it was given to `jax.jvp`.
    """
    if isinstance(dot, jax.custom_derivatives.SymbolicZero):
        return ZERO
    dot = dot if hasattr(dot, "dtype") else jnp.asarray(dot)
    return ZERO if dot.dtype == jax.dtypes.float0 else dot


def as_tangent(dot, spec) -> Any:
    """A tangent of ours as JAX demands it: dense and of the dtype of its value, float0 for an
    integer.
    """
    if not is_floating(spec):
        return np.zeros(spec.shape, jax.dtypes.float0)
    return jnp.zeros(spec.shape, spec.dtype) if is_zero(dot) else in_declared_dtype(dot, spec)


def in_declared_dtype(x, spec) -> Any:
    """A value of ours with the dtype that was declared, and without weak type; another shape is
    refused.
    """
    x = jnp.asarray(x)
    if x.shape != spec.shape:
        got = f"a rule gave an array of shape {x.shape} for one of shape {spec.shape}"
        raise JaxError(
            "a rule that JAX traces",
            got,
            "correct the rule: check_rule(primal, ...) shows where",
            primal=None,
        )
    if jnp.iscomplexobj(x) and not jnp.issubdtype(spec.dtype, jnp.complexfloating):
        x = jnp.real(x)
    return jax.lax.convert_element_type(x, spec.dtype)


def transposed_convention(
    pull: Callable[[Sequence[Any]], Sequence[Any]],
) -> Callable[[Sequence[Any]], list[Any]]:
    """Turn a pullback of ours into one in JAX's convention, or back."""

    def pull_conjugated(bars: Sequence[Any]) -> list[Any]:
        return list(map(conjugated, pull(list(map(conjugated, bars)))))

    return pull_conjugated


def conjugated(x) -> Any:
    """The conjugate of a complex array; what is real, or zero, as it is."""
    return x.conj() if hasattr(x, "dtype") and x.dtype.kind == "c" else x
