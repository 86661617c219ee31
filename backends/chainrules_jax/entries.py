"""Reading and writing entries of arrays that cannot be written, and of masks whose entries nobody
has counted.

How many entries a traced mask selects is not known, so that nothing can be left out. The entries of
a case are then as many as the array has: where the mask does not hold there is something else,
which is dropped when they are put back.
"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.core import Tracer

from chainrules_py.engines.own_functions import covering, is_basic, one_for_each_axis


def scattered_sums(values, index, shape: tuple[int, ...], dtype) -> Any:
    """Zeros of a shape and dtype with `values` added at `index`, made without writing:
    `scatter_add` for JAX.
    """
    if is_uncounted(index, shape) and jnp.shape(values) == rows(index, shape):
        return jnp.where(covering(index, len(shape)), jnp.reshape(values, shape), 0).astype(dtype)
    if is_basic(index):
        return between_zeros(values, one_for_each_axis(index, len(shape)), shape, dtype)
    return jnp.zeros(shape, dtype).at[index].add(values)


def between_zeros(values, index: Sequence[int | slice], shape: tuple[int, ...], dtype) -> Any:
    """Zeros with `values` where integers and slices read, which XLA fuses with what comes next, as
    it does not a scatter.
    """

    def positions_of(item: int | slice, size: int) -> range:
        read = range(size)[item]
        return range(read, read + 1) if isinstance(read, int) else read

    along = list(map(positions_of, index, shape))
    backwards = [axis for axis, positions in enumerate(along) if positions.step < 0]
    values = jnp.reshape(jnp.asarray(values, dtype), tuple(map(len, along)))
    values = jax.lax.rev(values, backwards)
    return jax.lax.pad(values, jnp.zeros((), dtype), list(map(borders, along, shape)))


def borders(positions: range, size: int) -> tuple[int, int, int]:
    """How many zeros there are before these positions of an axis, after them, and between two of
    them.
    """
    if not positions:
        return size, 0, 0
    first, last = sorted((positions[0], positions[-1]))
    return first, size - 1 - last, abs(positions.step) - 1


def set_at(a, index, values):
    """A copy of `a` with ``a[index] = values``, made without writing: `replaced` for JAX."""
    return jnp.asarray(a).at[index].set(values)


def entries_where(x, mask):
    """The entries that a mask selects, traced masks included: these leave as many entries as the
    array has.
    """
    if not is_uncounted(mask, jnp.shape(x)):
        return jnp.asarray(x)[mask]
    entries = jnp.reshape(x, rows(mask, jnp.shape(x)))
    selected = covering(jnp.ravel(mask), entries.ndim)
    return jnp.where(selected, entries, first_of(entries, mask))


def first_of(entries, mask) -> Any:
    """The first entry that is selected, as a constant: a function that is defined where the mask
    holds is defined there.
    """
    return jax.lax.stop_gradient(entries[jnp.argmax(mask)]) if mask.size else 0


def is_uncounted(index, shape: tuple[int, ...]) -> bool:
    """Tell whether an index is a traced mask over an array of this shape, or over leading axes."""
    return isinstance(index, Tracer) and index.dtype == bool and index.shape == shape[: index.ndim]


def rows(mask, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of all that a mask could select, along one axis."""
    return (mask.size, *shape[mask.ndim :])
