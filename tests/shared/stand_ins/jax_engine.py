"""JAX as an engine that `check_engine` certifies: NumPy's values go in and come out, JAX's derivatives are in between."""

import jax
import jax.numpy as jnp
import numpy as np

from chainrules_py import NO_TANGENT, ZERO, is_zero
from chainrules_py.engines import FlatValue


def is_differentiable(x):
    return isinstance(x, float | complex) or getattr(x, "dtype", np.dtype(object)).kind in "fc"


def as_jax(x):
    return jnp.asarray(x) if is_differentiable(x) else x


def as_numpy(x, like):
    """A value or gradient of JAX's as NumPy's, of the kind that stood there."""
    if is_zero(x) or not isinstance(x, jax.Array):
        return x
    return np.asarray(x) if isinstance(like, np.ndarray) else np.asarray(x)[()]


class JaxEngine:
    """`jax.vjp` and `jax.jvp`, of functions with arguments that are anything."""

    def vjp(self, f, *args):
        flat, run, seen = self._prepared(f, args)
        y, pullback = jax.vjp(run, [as_jax(x) for x in flat.leaves if is_differentiable(x)])
        value = FlatValue([], seen[-1].tree)

        def pull(y_bar):
            bars = FlatValue.of(y_bar).leaves if not is_zero(y_bar) else [ZERO] * len(y)
            seeds = [jnp.zeros_like(p) if is_zero(b) else jnp.asarray(b, p.dtype).conj() for b, p in zip(bars, y, strict=True)]
            found = iter(
                pullback([s if jnp.issubdtype(s.dtype, jnp.inexact) else np.zeros(s.shape, jax.dtypes.float0) for s in seeds])[
                    0
                ]
            )
            return flat.with_leaves(
                [as_numpy(next(found).conj(), x) if is_differentiable(x) else NO_TANGENT for x in flat.leaves]
            )

        return value.with_leaves([np.asarray(x)[()] for x in y]), pull

    def jvp(self, f, args, tangents):
        flat, run, seen = self._prepared(f, args)
        dots = FlatValue.of(tangents).leaves
        pairs = [
            (as_jax(x), jnp.asarray(dot, as_jax(x).dtype))
            for x, dot in zip(flat.leaves, dots, strict=True)
            if is_differentiable(x)
        ]
        y, y_dot = jax.jvp(run, ([x for x, _ in pairs],), ([dot for _, dot in pairs],))
        found = [as_numpy(dot, np.asarray(x)) if is_differentiable(x) else NO_TANGENT for x, dot in zip(y, y_dot, strict=True)]
        value = FlatValue([np.asarray(x)[()] for x in y], seen[-1].tree)
        return value.with_leaves(value.leaves), value.with_leaves([d[()] if hasattr(d, "shape") else d for d in found])

    def _prepared(self, f, args):
        flat, seen = FlatValue.of(args), []

        def run(arrays):
            given = iter(arrays)
            y = FlatValue.of(f(*flat.with_leaves([next(given) if is_differentiable(x) else x for x in flat.leaves])))
            seen.append(y)
            return list(map(jnp.asarray, y.leaves))

        return flat, run, seen
