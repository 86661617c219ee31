"""Functions that turn, shift and repeat entries along their axes."""

from math import prod
from typing import Any

import numpy as np

from chainrules_py import Array, OptionError, Scalar, Space, composed, linear_rule
from chainrules_py.calls.callform import plain_axis
from chainrules_py.projection.dense import namespace_of
from chainrules_py.rulesets.entries.indexing import concrete
from chainrules_py.rulesets.entries.scatter import scattered, scattered_flat
from chainrules_py.values.arrays import call, shape_of

# --- Permutations ---


@linear_rule(np.flip)
def flip_adjoint(y_bar, m: Space, *, axis: Any = None, xp):
    """Flipping is its own inverse, and so its own adjoint."""
    return xp.flip(y_bar, axis=axis)


@composed(np.fliplr)
def fliplr(m: Array, *, xp):
    """A flip of the second axis."""
    return xp.flip(m, axis=1)


@composed(np.flipud)
def flipud(m: Array, *, xp):
    """A flip of the first axis."""
    return xp.flip(m, axis=0)


def refuse_parts_of_turns(m, /, *, k: Any = 1, **options) -> None:
    """Raise for what is no number of quarter turns: NumPy takes it for three."""
    if k % 1:
        got, instead = f"{k!r} quarter turns", "pass a whole number of them"
        raise OptionError("numpy.rot90", got, instead, primal=np.rot90, option="k", value=k)


@linear_rule(np.rot90, refuse=refuse_parts_of_turns)
def rot90_adjoint(y_bar, m: Space, *, k: int = 1, axes: Any = (0, 1), xp):
    """Turns the cotangent as often the other way."""
    return xp.rot90(y_bar, k=-k, axes=axes)


@linear_rule(np.roll)
def roll_adjoint(y_bar, a: Space, *, shift, axis: Any = None):
    """Rolls the cotangent as far the other way, along each axis."""
    return call(np.roll, y_bar, shift=backwards(shift), axis=axis)


def backwards(shift) -> Any:
    """The shift in the other direction, as a Python integer: an unsigned number has no negative."""
    if hasattr(shift, "__iter__") and not hasattr(shift, "dtype"):
        return tuple(map(backwards, shift))
    if isinstance(shift, np.ndarray | np.generic) and shift.dtype.kind in "bu":
        shift = shift.astype(np.int64)
    return -plain_axis(shift)


# --- Repetitions ---


@composed(np.tile)
def tile(A: Array | Scalar, *, reps, xp) -> Any:
    """Along each axis, all that lies behind it is repeated."""
    counts = tuple(reps) if np.ndim(reps) else (reps,)
    lengths = (1,) * (len(counts) - len(shape_of(A))) + shape_of(A)
    counts = (1,) * (len(lengths) - len(counts)) + counts
    whole = tuple([count * length for count, length in zip(counts, lengths, strict=True)])
    y, size = A if {*counts} - {1} else xp.copy(A), prod(lengths)
    if size:
        for count, length in zip(counts, lengths, strict=True):
            if count != 1:
                y = xp.repeat(xp.reshape(y, (-1, size)), count, axis=0)
            size //= length
    return xp.reshape(y, whole)


@composed(np.resize)
def resize(a: Array | Scalar, *, new_shape, xp):
    """The entries are repeated as often as they are needed, the last time in part."""
    shape = tuple(new_shape) if np.ndim(new_shape) else (new_shape,)
    size, wanted = prod(shape_of(a)), prod(shape)
    if size == 0 or wanted == 0:
        return xp.zeros_like(a, shape=shape)
    copies = xp.concatenate([xp.ravel(a)] * -(-wanted // size))
    return xp.reshape(copies[:wanted], shape)


@linear_rule(np.repeat)
def repeat_adjoint(y_bar, a: Space, *, repeats, axis: int | None = None, xp):
    """The sum of each entry's copies."""
    shape, axis = ((a.size,), 0) if axis is None or a.ndim == 0 else (a.shape, axis % a.ndim)
    if np.size(repeats) == 1:  # the copies are neighbours: an axis of their own
        split = (*shape[: axis + 1], -1 if a.size else 0, *shape[axis + 1 :])
        return xp.reshape(xp.sum(xp.reshape(y_bar, split), axis=axis + 1), a.shape)
    origin = origins(repeats, shape[axis], y_bar.shape[axis])
    if shape != a.shape:
        return scattered_flat(y_bar, origin, a, xp)
    return scattered(y_bar, (*(slice(None),) * axis, origin), shape, a.dtype)


def origins(repeats, length: int, total: int) -> Any:
    """Which entry each of the `total` copies is of.

    Their number is known, so that counts on a device are not asked for it.
    """
    counts = concrete(repeats)
    if isinstance(counts, np.ndarray):
        return np.repeat(np.arange(length), counts if counts.size else ())
    xp = namespace_of(counts)
    return xp.searchsorted(xp.cumsum(counts), xp.arange(total), side="right")
