"""JAX as an engine that `check_engine` certifies: NumPy's values go in and come out, JAX's
derivatives are in between.
"""

import jax
import jax.numpy as jnp
import numpy as np

from chainrules_py import NO_TANGENT, is_zero
from chainrules_py.engines import FlatValue


def is_differentiable(x):
    return isinstance(x, float | complex) or getattr(x, "dtype", np.dtype(object)).kind in "fc"


def as_numpy(x, is_array=False):
    """A value or gradient as NumPy's, a number where it is 0-d; what JAX traces stays."""
    if isinstance(x, jax.core.Tracer):
        return x
    return np.asarray(x) if is_array else np.asarray(x)[()]


def seed_of(bar, y):
    """A cotangent of one output as `jax.vjp` wants it, in JAX's convention."""
    if not jnp.issubdtype(y.dtype, jnp.inexact):
        return np.zeros(y.shape, jax.dtypes.float0)
    return jnp.zeros_like(y) if is_zero(bar) else jnp.asarray(bar, y.dtype).conj()


class JaxEngine:
    """`jax.vjp` and `jax.jvp`, of functions whose arguments are anything; integers come out as of a
    class.
    """

    def __init__(self, integer=np.int64):
        self.integer = integer

    def _value(self, y):
        is_count = np.shape(y) == () and y.dtype == np.int64 and not isinstance(y, jax.core.Tracer)
        return self.integer(y) if is_count else as_numpy(y)

    def vjp(self, f, *args):
        flat, run, seen = self._prepared(f, args)
        y, pullback = jax.vjp(run, [jnp.asarray(x) for x in flat.leaves if is_differentiable(x)])

        def pull(y_bar):
            found = iter(pullback(list(map(seed_of, seen[-1].tangents(y_bar), y)))[0])
            return flat.with_leaves([self._gradient(x, found) for x in flat.leaves])

        return seen[-1].with_leaves(list(map(self._value, y))), pull

    def jvp(self, f, args, tangents):
        flat, run, seen = self._prepared(f, args)
        pairs = [
            (x, dot)
            for x, dot in zip(flat.leaves, flat.tangents(tangents), strict=True)
            if is_differentiable(x)
        ]
        xs = [jnp.asarray(x) for x, _ in pairs]
        y, y_dot = jax.jvp(
            run,
            (xs,),
            ([jnp.asarray(dot, x.dtype) for x, (_, dot) in zip(xs, pairs, strict=True)],),
        )
        dots = [
            as_numpy(dot) if is_differentiable(x) else NO_TANGENT
            for x, dot in zip(y, y_dot, strict=True)
        ]
        return seen[-1].with_leaves(list(map(self._value, y))), seen[-1].with_leaves(dots)

    def _gradient(self, x, found):
        return (
            as_numpy(next(found).conj(), isinstance(x, np.ndarray))
            if is_differentiable(x)
            else NO_TANGENT
        )

    def _prepared(self, f, args):
        """The arguments laid flat, `f` as a function from arrays to arrays, and where it leaves its
        values.
        """
        flat, seen = FlatValue.of(args), []

        def run(arrays):
            given = iter(arrays)
            seen.append(
                FlatValue.of(
                    f(
                        *flat.with_leaves(
                            [next(given) if is_differentiable(x) else x for x in flat.leaves]
                        )
                    )
                )
            )
            return list(map(jnp.asarray, seen[-1].leaves))

        return flat, run, seen
