"""Products on meshes with explicit axes, where JAX wants to be told how a result is laid out on the
devices.

A sum over an axis that is spread over devices does not determine where its result is. JAX's own
derivatives say so explicitly; rules know nothing of devices. Here the result keeps the layouts of
the axes that its factors have left, and is whole on the devices that summed.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

from chainrules_py.engines import with_items_at

Layout = list[Any]  # for each axis of an array the axis of the mesh, or several, or None


def laid_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a product of JAX's that passes `out_sharding` where JAX requires it."""

    @wraps(function)
    def product(*args, **options):
        try:
            return function(*args, **options)
        except Exception as error:
            # JAX has no public name for this class.
            if type(error).__name__ != "ShardingTypeError" or "out_sharding" in options:
                raise
            return function(
                *args, out_sharding=layout_of_result(function, args, options), **options
            )

    return product


def layout_of_result(
    function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]
) -> NamedSharding:
    """Return the layout of a product on the devices.

    That of two matrices or vectors has the layout of the rows of one and the columns of the other;
    all other products are whole on each device.
    """
    places = [k for k, x in enumerate(args) if hasattr(x, "shape") and hasattr(x, "dtype")]
    factors = [args[k] for k in places]
    meshes = [jax.typeof(x).sharding.mesh for x in factors]
    mesh = next(mesh for mesh in meshes if mesh.shape)
    are_small = len(factors) == 2 and all(0 < x.ndim < 3 for x in factors)
    if function in (jnp.matmul, jnp.dot) and are_small:
        a, b = map(layout, factors)
        return NamedSharding(mesh, PartitionSpec(*without_repeats([*a[:-1], *b[1:]])))

    def of_factors(*factors):
        return function(*with_items_at(args, places, factors), **options)

    y = jax.eval_shape(of_factors, *[jax.ShapeDtypeStruct(x.shape, x.dtype) for x in factors])
    return NamedSharding(mesh, PartitionSpec(*[None] * len(y.shape)))


def layout(x) -> Layout:
    """Return the layout of an array."""
    known = list(jax.typeof(x).sharding.spec)
    return [*known, *[None] * (x.ndim - len(known))]


def without_repeats(axes: Layout) -> Layout:
    """Keep only the first use of each axis of the mesh in a layout."""
    seen: set[Any] = set()
    found: Layout = []
    for axis in axes:
        names = set(axis) if isinstance(axis, tuple) else {axis} - {None}
        found.append(None if names & seen else axis)
        seen |= names
    return found


FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: laid_out(getattr(jnp, name)) for name in ("matmul", "dot", "tensordot", "einsum")
}
